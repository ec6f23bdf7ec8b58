"""The world a run happens in: scenario documents, networks, file formats, built-in networks, share links."""
