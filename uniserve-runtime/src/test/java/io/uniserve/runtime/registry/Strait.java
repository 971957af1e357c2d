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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** TCP proxy that passes no bytes while it is shut, as in a network partition: no connection ends, and no byte arrives. */
final class Strait implements AutoCloseable {
    private static final int NOWHERE = -1;

    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean shut;

    Strait(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** Creates a proxy without a target: it closes every connection. */
    static Strait toNowhere() throws IOException {
        return new Strait(NOWHERE);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Stops or resumes all traffic. */
    void shut(boolean value) {
        lock.lock();
        try {
            shut = value;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pass() throws IOException {
        lock.lock();
        try {
            while (shut) {
                opened.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            if (target == NOWHERE) {
                client.close();
                continue;
            }
            sockets.add(client);
            start(() -> {
                pass();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(server);
                start(() -> copy(client, server));
                copy(server, client);
            });
        }
    }

    private void copy(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                pass();
                out.write(buffer, 0, read);
            }
        }
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
                        Thread.currentThread().interrupt(); // one end of the connection has closed
                    }
                },
                "strait");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
