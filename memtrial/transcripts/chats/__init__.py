"""Messages of models: the forms in which providers write them, and conversations made of them."""
