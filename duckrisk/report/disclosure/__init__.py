"""What a report says about disclosure, a module for each part."""
