package io.uniserve.testkit.tck;

import io.uniserve.api.extra.ActorFileLinker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/**
 * Targets of hostile inputs, outside of all folders of an engine: a file that must not be read, a folder that must stay empty, an address
 * that must not be called, and a system property that must not be set. Not thread-safe.
 */
public final class HostileTargets implements AutoCloseable {
    /** Content of the file that must not be read. No input has this text. */
    private static final String SECRET = "canary" + "-4c1f" + "-81";

    private static final int BACKLOG = 50;

    private final Path folder;
    private final ServerSocket listener;
    /** Local ports of all callers of the listener, in the order of their calls. */
    private final BlockingQueue<Integer> callers = new LinkedBlockingQueue<>();

    HostileTargets(Path folder) {
        this.folder = folder;
        try {
            Files.createDirectories(target().getParent());
            Files.writeString(canary(), "id,text\n" + SECRET + "," + SECRET + "\n");
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread acceptor = new Thread(this::accept, "tck-listener");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    /** Records each caller, and closes its connection, so that it does not wait for an answer. */
    private void accept() {
        while (!listener.isClosed()) {
            try (Socket connection = listener.accept()) {
                callers.add(connection.getPort());
            } catch (IOException e) {
                // the listener is closed, or the caller has gone
            }
        }
    }

    /** A file that every user may read, with a secret text. */
    public Path canary() {
        return folder.resolve("canary.csv");
    }

    /** A path that does not exist, in a folder that exists and is empty. */
    public Path target() {
        return folder.resolve("empty").resolve("target");
    }

    /** Address of a listener on this machine, as {@code http://127.0.0.1:PORT/}. */
    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/";
    }

    /** Relative path to a file from any folder of less than twenty levels. */
    public static String traversal(Path file) {
        return "../".repeat(20) + file.toAbsolutePath().toString().substring(1);
    }

    static boolean hasSecret(String text) {
        return text.contains(SECRET);
    }

    /** What an input has reached since the last call; empty if it has reached nothing. */
    List<String> reached() {
        List<String> reached = new ArrayList<>();
        try (Stream<Path> made = Files.list(target().getParent());
                Socket own = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
            for (Path file : made.toList()) {
                reached.add("a file was written: " + file);
                ActorFileLinker.delete(file);
            }
            // The listener accepts in order: calls before this one are recorded before it.
            for (int caller = callers.take(); caller != own.getLocalPort(); caller = callers.take()) {
                reached.add("a connection was opened to " + url());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
        if (System.clearProperty(HostileCode.PROPERTY) != null) {
            reached.add("code was run");
        }
        return reached;
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
