"""What is said of membership inference."""
