"""What `import memtrial` offers: the functions that the verbs call, with typed results."""
