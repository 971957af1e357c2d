package io.uniserve.benchmark.peer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Client of a {@link BaselineSqlServer}. Not thread-safe. An error of the engine is an IllegalStateException with the engine's message. */
public final class BaselineSqlClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Connects to the node. */
    public BaselineSqlClient(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /** See {@link BaselineSqlEngine#name}. */
    public String name() {
        return String.valueOf(ask(BaselineSqlServer.NAME).get(0).get(0));
    }

    /** See {@link BaselineSqlEngine#load}. */
    public void load(String table, String columns, String file) {
        ask(BaselineSqlServer.LOAD, table, columns, file);
    }

    /** See {@link BaselineSqlEngine#query}. */
    public List<List<@Nullable String>> query(String sql) {
        return ask(BaselineSqlServer.QUERY, sql);
    }

    private List<List<@Nullable String>> ask(int verb, String... words) {
        try {
            out.writeByte(verb);
            for (String word : words) {
                out.writeUTF(word);
            }
            out.flush();
            String failure = in.readUTF();
            if (!failure.isEmpty()) {
                throw new IllegalStateException(failure);
            }
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                List<@Nullable String> row = new ArrayList<>();
                for (int values = in.readInt(); values > 0; values--) {
                    row.add(in.readBoolean() ? in.readUTF() : null);
                }
                rows.add(row);
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes the connection, which also ends the engine's process. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
