"""A collection: which images, which services, which pairs; paid calls that are never lost; what an audit then reads."""
