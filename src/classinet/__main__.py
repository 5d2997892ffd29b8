"""`python -m classinet` is the command line."""

from classinet.cli import main

if __name__ == "__main__":
    main()
