package io.uniserve.runtime.registry;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** TCP proxy between a client and ZooKeeper that closes connections, rejects new ones, or drops answers. */
final class FaultyTcpProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private volatile boolean swallowing;

    FaultyTcpProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Drops answers from now on; requests pass. */
    void swallowAnswers() {
        swallowing = true;
    }

    /** Closes connections; new ones are closed at once until {@link #mend}. */
    void cut() {
        refusing = true;
        sockets.forEach(FaultyTcpProxy::close);
        sockets.clear();
    }

    void mend() {
        swallowing = false;
        refusing = false;
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            if (refusing) {
                close(client);
                continue;
            }
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(client);
            sockets.add(server);
            start(() -> copy(client, server, false));
            start(() -> copy(server, client, true));
        }
    }

    private void copy(Socket from, Socket to, boolean answers) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[8192];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (!answers || !swallowing) {
                out.write(buffer, 0, read);
            }
        }
        close(to);
    }

    /** Loop that copies bytes until a socket closes. */
    @FunctionalInterface
    private interface Pump {
        void run() throws IOException;
    }

    private static void start(Pump pump) {
        Thread thread = new Thread(
                () -> {
                    try {
                        pump.run();
                    } catch (IOException e) {
                        Thread.currentThread().interrupt(); // the connection was closed, as expected of this proxy
                    }
                },
                "wire");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
