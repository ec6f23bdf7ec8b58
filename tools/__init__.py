"""What ./run and ./test do, with nothing but the standard library."""
