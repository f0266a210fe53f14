"""What `import loadbearing` offers: the functions that the verbs call, with typed results."""
