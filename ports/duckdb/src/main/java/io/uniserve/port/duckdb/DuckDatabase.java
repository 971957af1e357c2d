package io.uniserve.port.duckdb;

import io.uniserve.api.EngineErrorMapper;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.error.ErrorCode;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

/**
 * DuckDB instance of this process, to which actors attach their files: they share one memory limit. It has no threads of its own. A query
 * runs on its caller's thread, so that its cost is measured there, and actors answer in parallel.
 */
final class DuckDatabase implements AutoCloseable {
    /** Failures of calls that rows and queries cannot cause. */
    static final EngineErrorMapper DUCKDB = new EngineErrorMapper("DuckDB", DuckDatabase::code);

    /** Failures of calls with a user's query: errors that depend on values are the user's. */
    static final EngineErrorMapper QUERIES = new EngineErrorMapper(
                    "DuckDB",
                    failure -> code(failure).isPresent()
                            ? code(failure)
                            : Optional.of(ErrorCode.INVALID_ARGUMENT)
                                    .filter(code -> startsWithKind(
                                            failure,
                                            "Out of Range Error",
                                            "Conversion Error",
                                            "Mismatch Type Error",
                                            "Binder Error",
                                            "Not implemented Error",
                                            "Syntax Error",
                                            "Invalid Input Error: division",
                                            "Invalid Input Error: aggregate",
                                            "Invalid Input Error: More than one row")))
            // The engine quotes its own statement, which the user did not write.
            .withMessages(message -> message.replaceFirst("(?s)\\n+LINE \\d+: .*", ""));

    /** Settings that are made before the first query, and locked. */
    static final List<EngineSwitch> SWITCHES = List.of(
            new EngineSwitch("autoinstall_known_extensions", "false", "downloads of extensions"),
            new EngineSwitch("autoload_known_extensions", "false", "extensions that a statement seems to need"),
            new EngineSwitch("allow_community_extensions", "false", "INSTALL and LOAD of others' extensions"),
            new EngineSwitch(
                    "enable_external_access", "false", "files outside of the engine's folder, URLs, ATTACH, LOAD"),
            new EngineSwitch("lock_configuration", "true", "SET, RESET and PRAGMA of settings"));

    private final DuckDBConnection root;
    private final Optional<Path> scratch;

    /**
     * Opens a database in memory.
     *
     * @param scratch the only directory whose files it may read and write: for actors, shuffles, and data that does not fit into memory;
     *     empty to keep all data in memory
     * @param memory limit such as 2GB; empty for DuckDB's default, most of the machine's memory
     */
    DuckDatabase(Optional<Path> scratch, Optional<String> memory) {
        Properties properties = new Properties();
        properties.setProperty("threads", "1");
        properties.setProperty("temp_directory", scratch.map(Path::toString).orElse(""));
        memory.ifPresent(limit -> properties.setProperty("memory_limit", limit));
        this.scratch = scratch;
        List<String> settings = new ArrayList<>();
        scratch.ifPresent(only -> settings.add("SET allowed_directories = [" + quote(only) + "]"));
        SWITCHES.forEach(one -> settings.add("SET " + one.name() + " = " + one.value()));
        root = DUCKDB.call("start", () -> {
            DuckDBConnection first = (DuckDBConnection) new DuckDBDriver().connect("jdbc:duckdb:", properties);
            DuckRowsTableFunction.register(first);
            for (String setting : settings) {
                execute(first, setting);
            }
            return first;
        });
    }

    /** Work with a folder. */
    @FunctionalInterface
    interface FolderWork<T> {
        T run(Path folder) throws IOException, SQLException;
    }

    /** Runs work with a new folder that the engine may use, and deletes it afterwards. */
    <T> T withFolder(FolderWork<T> work) throws IOException, SQLException {
        Path folder = Files.createTempDirectory(scratch(), "files");
        try {
            return work.run(folder);
        } finally {
            ActorFileLinker.delete(folder);
        }
    }

    /** Returns the directory for files of this process; only for a database with one. */
    Path scratch() {
        return scratch.orElseThrow();
    }

    private static Optional<ErrorCode> code(Throwable failure) {
        if (startsWithKind(failure, "Out of Memory Error")) {
            return Optional.of(ErrorCode.RESOURCE_EXHAUSTED);
        }
        return startsWithKind(failure, "INTERRUPT Error") ? Optional.of(ErrorCode.DEADLINE_EXCEEDED) : Optional.empty();
    }

    private static boolean startsWithKind(Throwable failure, String... kinds) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof SQLException && List.of(kinds).stream().anyMatch(message::startsWith);
    }

    /** Returns the engine's version, such as v1.5.6. */
    static String version() {
        return DUCKDB.call("start", () -> {
            try (DuckDatabase duckDatabase = new DuckDatabase(Optional.empty(), Optional.empty())) {
                return String.valueOf(CancellableJdbcExecutor.answer(duckDatabase.root, "SELECT version()")
                        .columns()
                        .get(0)
                        .text(0));
            }
        });
    }

    /** Opens another connection. */
    DuckDBConnection connect() throws SQLException {
        return root.duplicate();
    }

    /** Runs a statement without an answer. */
    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String quote(Path path) {
        return "'" + path.toString().replace("'", "''") + "'";
    }

    /** Idempotent; actors must be closed before. */
    @Override
    public void close() {
        DUCKDB.run("stop", root::close);
    }
}
