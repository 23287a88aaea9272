"""A TLS server for HTTP/2 that answers with the bytes of the request's body, which may violate RFC 9113.

The body's first byte says what follows the rest: 0 nothing, 1 the end of the connection with close_notify, 2 without it, 3 a reset.
A frame of kind 255 is not sent: the server waits until the client has received what came before (PING, RFC 9113 section 6.7), at most
five seconds.

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
            # Loaded for each connection, because nginx.sh may have made new certificates.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(["h2"])
            self.tls = context.wrap_socket(self.request, server_side=True)
            self.answer_requests()
        except (OSError, EOFError):
            return  # The client has closed the connection.
        self.finish_reading()

    def finish_reading(self):
        """Reads what the client still sends, because closing with unread bytes would be a reset."""
        try:
            with self.tls:
                if self.tls.fileno() >= 0:
                    socket.socket.shutdown(self.tls, socket.SHUT_WR)
                    self.tls.settimeout(1)
                    # Below TLS, which has ended.
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
        """The next frame of a stream."""
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
            pass  # The client has closed the connection.
        self.tls.settimeout(None)

    def answer_requests(self):
        if self.read(len(PREFACE)) != PREFACE:
            return
        # The largest windows (sections 6.5.2 and 6.9), because requests may be long.
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
        """Returns whether that was the end of the connection."""
        if not body:
            raise EOFError
        for number, piece in enumerate(body[1:].split(MOMENT)):
            if number:
                self.await_client()
            self.tls.sendall(piece)
        if body[0] == 1:
            # Like most servers, does not wait for the client's close_notify.
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
# Written first, so that it exists once the port answers.
with open(pid_file, "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
with Server(("127.0.0.1", int(port)), Connection) as server:
    server.serve_forever()
