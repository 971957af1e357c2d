package com.example.port;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ContentDigest;
import io.uniserve.api.Document;
import io.uniserve.api.EngineErrorMapper;
import io.uniserve.api.extra.EngineTask;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.jdbcx.JdbcDataSource;

/**
 * Actor with a database in memory. One connection writes, and commits when the host publishes. Each query has a separate connection, which
 * sees committed rows only.
 */
final class H2Actor implements Actor {
    static final EngineErrorMapper H2 = new EngineErrorMapper("H2", failure -> Optional.empty());
    static final String ID = "id";
    static final String NUMBER = "n";

    private static final AtomicLong NAMES = new AtomicLong();
    private static final Codec<List<Document>> ROWS = Codecs.list(Document.CODEC);
    private static final String FILE = "rows";
    private static final long BYTES_PER_ROW = 200;

    private final JdbcDataSource database = new JdbcDataSource();
    private final Connection writer;

    H2Actor() throws SQLException {
        database.setURL("jdbc:h2:mem:actor-" + NAMES.incrementAndGet());
        writer = database.getConnection();
        writer.setAutoCommit(false);
        // Texts of H2 sort by UTF-16, those of Uniserve by code points, as their UTF-8 does.
        run("CREATE TABLE ROWS(ID VARCHAR PRIMARY KEY, UTF8 VARBINARY NOT NULL, N BIGINT NOT NULL)");
        writer.commit();
    }

    /** An actor with the rows of a checkpoint. */
    static H2Actor of(Path directory) throws SQLException {
        List<Document> rows;
        try {
            rows = ROWS.decode(Bytes.wrap(Files.readAllBytes(directory.resolve(FILE))));
        } catch (IOException | UniserveException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "rows in " + directory + " are damaged: " + e.getMessage(), e);
        }
        H2Actor actor = new H2Actor();
        rows.forEach(row -> check(row));
        actor.put(rows);
        actor.publish();
        return actor;
    }

    /** INVALID_ROW unless the row has a text "id" and an integer "n". */
    static void check(Document row) {
        boolean right = row.fields().get(ID) instanceof String id
                && !id.isEmpty()
                && row.fields().get(NUMBER) instanceof Long
                && row.fields().size() == 2
                && row.keyField().equals(ID);
        if (!right) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "row has fields " + row.fields().keySet() + ": give a text \"id\" and a whole number \"n\"");
        }
    }

    void put(List<Document> rows) {
        H2.run("store rows", () -> {
            try (PreparedStatement put = writer.prepareStatement("MERGE INTO ROWS KEY(ID) VALUES(?, ?, ?)")) {
                for (Document row : rows) {
                    String id = (String) row.fields().get(ID);
                    put.setString(1, id);
                    put.setBytes(2, id.getBytes(StandardCharsets.UTF_8));
                    put.setLong(3, (Long) row.fields().get(NUMBER));
                    put.executeUpdate();
                }
            }
        });
    }

    void delete(List<Document> rows) {
        H2.run("delete rows", () -> {
            try (PreparedStatement delete = writer.prepareStatement("DELETE FROM ROWS WHERE ID = ?")) {
                for (Document row : rows) {
                    delete.setString(1, (String) row.fields().get(ID));
                    delete.executeUpdate();
                }
            }
        });
    }

    /** Queries the published state. */
    <T> T ask(String what, EngineTask<Connection, T> work) {
        return H2.call(what, () -> {
            try (Connection reader = database.getConnection()) {
                return work.run(reader);
            }
        });
    }

    /** One number. */
    long number(String sql, Object... parameters) {
        return ask("answer " + sql, reader -> {
            try (PreparedStatement statement = reader.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                try (ResultSet result = statement.executeQuery()) {
                    result.next();
                    return result.getBigDecimal(1).longValueExact();
                }
            }
        });
    }

    /** Rows in the order of a query. */
    List<Document> rows(String order, int limit) {
        return ask("list rows", reader -> {
            List<Document> rows = new ArrayList<>();
            try (PreparedStatement statement =
                    reader.prepareStatement("SELECT ID, N FROM ROWS ORDER BY " + order + " LIMIT ?")) {
                statement.setInt(1, limit);
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        rows.add(new Document(ID, Map.of(ID, result.getString(1), NUMBER, result.getLong(2))));
                    }
                }
            }
            return rows;
        });
    }

    @Override
    public void publish() {
        H2.run("commit", writer::commit);
    }

    @Override
    public void writeTo(Path directory) {
        byte[] bytes = ROWS.encode(rows("UTF8", Integer.MAX_VALUE)).toArray();
        H2.run("write a checkpoint", () -> Files.write(directory.resolve(FILE), bytes));
    }

    @Override
    public ActorUsage usage() {
        long rows = number("SELECT COUNT(*) FROM ROWS");
        return new ActorUsage(rows, rows * BYTES_PER_ROW, 0);
    }

    @Override
    public byte[] digest() {
        ContentDigest digest = new ContentDigest();
        rows("UTF8", Integer.MAX_VALUE)
                .forEach(row ->
                        digest.add(row.fields().get(ID) + "\n" + row.fields().get(NUMBER)));
        return digest.toBytes();
    }

    boolean isClosed() {
        return H2.call("look at a connection", writer::isClosed);
    }

    /** A database in memory is deleted with its last connection. */
    @Override
    public void close() {
        H2.run("close a database", writer::close);
    }

    @Override
    public void destroy() {
        close();
    }

    private void run(String sql) throws SQLException {
        try (PreparedStatement statement = writer.prepareStatement(sql)) {
            statement.execute();
        }
    }
}
