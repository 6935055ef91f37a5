"""The bundled checker: weights, tokenizer, calibration and model card, as package data."""
