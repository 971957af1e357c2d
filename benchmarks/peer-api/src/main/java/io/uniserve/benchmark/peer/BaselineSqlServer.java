package io.uniserve.benchmark.peer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Server of one SQL engine in this process for a single client, {@link BaselineSqlClient}. It ends when the client disconnects. */
public final class BaselineSqlServer {
    static final int NAME = 1;
    static final int LOAD = 2;
    static final int QUERY = 3;

    private final BaselineSqlEngine engine;
    private final DataInputStream in;
    private final DataOutputStream out;

    private BaselineSqlServer(BaselineSqlEngine engine, Socket client) throws IOException {
        this.engine = engine;
        this.in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
        this.out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
    }

    /** Prints a line {@code ready KIND HOST:PORT pid PID} and serves until the client disconnects or the parent process ends. */
    public static void serve(String kind, BaselineSqlEngine engine) throws IOException {
        // If the benchmark is killed, this process ends too.
        CompletableFuture<?> unused = ProcessHandle.current()
                .parent()
                .orElseThrow()
                .onExit()
                .thenRun(() -> Runtime.getRuntime().halt(1));
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here)) {
            System.out.println("ready " + kind + " " + here.getHostAddress() + ":" + server.getLocalPort() + " pid "
                    + ProcessHandle.current().pid());
            try (Socket client = server.accept()) {
                client.setTcpNoDelay(true);
                new BaselineSqlServer(engine, client).run();
            }
        }
    }

    private void run() throws IOException {
        for (int verb = next(); verb >= 0; verb = next()) {
            answer(verb);
            out.flush();
        }
    }

    private int next() throws IOException {
        try {
            return in.readByte();
        } catch (EOFException e) {
            return -1;
        }
    }

    private void answer(int verb) throws IOException {
        try {
            switch (verb) {
                case NAME -> rows(List.of(List.of(engine.name())));
                case LOAD -> {
                    engine.load(in.readUTF(), in.readUTF(), in.readUTF());
                    rows(List.of());
                }
                case QUERY -> rows(engine.query(in.readUTF()));
                default -> throw new IOException("verb " + verb + " is not known");
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            out.writeUTF(e.toString().substring(0, Math.min(4_000, e.toString().length())));
        }
    }

    private void rows(List<? extends List<@Nullable String>> rows) throws IOException {
        out.writeUTF("");
        out.writeInt(rows.size());
        for (List<@Nullable String> row : rows) {
            out.writeInt(row.size());
            for (String value : row) {
                out.writeBoolean(value != null);
                if (value != null) {
                    out.writeUTF(value);
                }
            }
        }
    }
}
