"""This project and its peers as contenders, one file each."""
