"""A TLS server for HTTP/2 that answers with the very bytes that the request's body holds, which need not be what RFC 9113 allows.

The body's first byte says what comes behind the rest: 0 nothing, 1 the end of the connection with TLS's own, 2 its end without that, 3 its reset.
A frame of kind 255 is not sent: the server waits until the client has taken what came before it (PING, RFC 9113 section 6.7), for five seconds at the most.

    python3 frames.py PORT CERTIFICATE KEY PID_FILE
"""

import os
import socket
import socketserver
import ssl
import struct
import sys

DATA, SETTINGS, PING, WINDOW_UPDATE = 0, 4, 6, 8
INITIAL_WINDOW_SIZE, LARGEST_WINDOW = 4, 2**31 - 1
END_STREAM, ACK, PADDED = 1, 1, 8
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + bytes(4) + payload


MOMENT = frame(255, 0, b"")


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Anew for each: nginx.sh may have made other certificates meanwhile.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(["h2"])
            self.tls = context.wrap_socket(self.request, server_side=True)
            self.answer_requests()
        except (OSError, EOFError):
            return  # The client has gone, or did not like what it was sent.
        self.finish_reading()

    def finish_reading(self):
        """What the client still says is read: a connection that is closed before that is reset."""
        try:
            with self.tls:
                if self.tls.fileno() >= 0:
                    socket.socket.shutdown(self.tls, socket.SHUT_WR)
                    self.tls.settimeout(1)
                    # Beneath TLS, which is over.
                    while socket.socket.recv(self.tls, 65_536):
                        pass
        except OSError:
            pass

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.tls.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def read_frame(self):
        """The next frame that is not about the connection itself."""
        while True:
            head = self.read(9)
            kind, flags = head[3], head[4]
            payload = self.read(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & ACK:
                self.tls.sendall(frame(SETTINGS, ACK, b""))
            elif kind == PING and not flags & ACK:
                self.tls.sendall(frame(PING, ACK, payload))
            else:
                return kind, flags, payload

    def await_client(self):
        self.tls.sendall(frame(PING, 0, bytes(8)))
        self.tls.settimeout(5)
        try:
            while self.read_frame()[0] != PING:
                pass
        except TimeoutError:
            pass  # It has given the connection up.
        self.tls.settimeout(None)

    def answer_requests(self):
        if self.read(len(PREFACE)) != PREFACE:
            return
        # As large windows as there are (sections 6.5.2 and 6.9): requests may be long.
        self.tls.sendall(frame(SETTINGS, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, LARGEST_WINDOW)))
        self.tls.sendall(frame(WINDOW_UPDATE, 0, struct.pack(">I", LARGEST_WINDOW - 65_535)))
        body = b""
        while True:
            kind, flags, payload = self.read_frame()
            if kind == DATA:
                body += payload[1 : len(payload) - payload[0]] if flags & PADDED else payload
                if flags & END_STREAM:
                    if self.answer(body):
                        return
                    body = b""

    def answer(self, body):
        """Whether that was the end of the connection."""
        if not body:
            raise EOFError
        for number, piece in enumerate(body[1:].split(MOMENT)):
            if number:
                self.await_client()
            self.tls.sendall(piece)
        if body[0] == 1:
            # Does not wait for the client's end, as most servers do not.
            self.tls.settimeout(0)
            try:
                self.tls.unwrap()
            except OSError:
                pass
        if body[0] == 3:
            self.tls.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.tls.close()
        return body[0] != 0


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


port, certificate, key, pid_file = sys.argv[1:]
# First of all, so that it is there once the port answers.
with open(pid_file, "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
with Server(("127.0.0.1", int(port)), Connection) as server:
    server.serve_forever()
