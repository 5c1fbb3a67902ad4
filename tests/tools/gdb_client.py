"""A client of gdb's remote serial protocol, for packets that gdb does not send."""
import re
import socket
import subprocess


class Gone(Exception):
    pass


class Session:
    """A temu process with a program, and a connection to its gdb stub."""

    def __init__(self, temu, program, *options):
        self.process = subprocess.Popen([temu, "--gdb", "0", *options, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        port = re.fullmatch(r"temu: gdb: listening on 127\.0\.0\.1:(\d+)\n", line)
        assert port, line
        self.socket = socket.create_connection(("127.0.0.1", int(port[1])))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.acknowledge = True
        self.pending = b""

    def raw(self, data):
        self.socket.sendall(data)

    def byte(self):
        if not self.pending:
            self.pending = self.socket.recv(65536)
            if not self.pending:
                raise Gone()
        byte, self.pending = self.pending[:1], self.pending[1:]
        return byte

    def send(self, payload):
        """Frames and sends a packet, and checks the acknowledgment."""
        if isinstance(payload, str):
            payload = payload.encode()
        self.raw(b"$" + payload + b"#%02x" % (sum(payload) % 256))
        if self.acknowledge:
            byte = self.byte()
            assert byte == b"+", byte

    def receive(self):
        byte = self.byte()
        assert byte == b"$", byte
        payload = b""
        while (byte := self.byte()) != b"#":
            payload += byte
        total = int(self.byte() + self.byte(), 16)
        assert total == sum(payload) % 256
        if self.acknowledge:
            self.raw(b"+")
        return re.sub(rb"}(.)", lambda match: bytes([match[1][0] ^ 0x20]), payload, flags=re.S).decode("latin1")

    def ask(self, payload):
        self.send(payload)
        return self.receive()

    def monitor(self, command):
        self.send("qRcmd," + command.encode().hex())
        output = ""
        while (reply := self.receive()) != "OK":
            assert reply[0] == "O", reply
            output += bytes.fromhex(reply[1:]).decode()
        return output

    def end(self):
        """Closes the connection and returns the exit status and standard error of temu."""
        self.socket.close()
        _, errors = self.process.communicate()
        return self.process.returncode, errors
