"""From images and a model to templates: ``frtaudit embed``."""
