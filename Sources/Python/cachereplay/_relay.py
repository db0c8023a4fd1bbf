"""The program that the command starts for a policy in Python.

It hands its standard input and output to the process of the policy, by a socket whose path is its argument, and ends
with that process's answers. It runs alone, without the rest of the package.
"""

import socket
import sys


def main() -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        socket.send_fds(connection, [b"1"], [0, 1])
        connection.recv(1)  # Ends with the connection.


if __name__ == "__main__":
    main()
