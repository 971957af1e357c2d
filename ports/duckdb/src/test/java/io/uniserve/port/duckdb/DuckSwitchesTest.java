package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DuckDB itself refuses what the list of permitted SQL keeps from it: here statements come to the engine without that list. */
class DuckSwitchesTest {
    @TempDir
    private Path directory;

    private Path scratch;
    private Path file;
    private DuckDatabase duckDatabase;
    private DuckDBConnection connection;

    @BeforeEach
    void open() throws IOException, SQLException {
        scratch = Files.createDirectories(directory.toRealPath().resolve("scratch's"));
        file = Files.writeString(directory.toRealPath().resolve("secret.csv"), "a\n1\n");
        duckDatabase = new DuckDatabase(Optional.of(scratch), Optional.empty());
        connection = duckDatabase.connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        duckDatabase.close();
    }

    private void run(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    @Test
    void filesOutsideOfTheFolderAreRefused() {
        String inside =
                scratch.resolve("..").resolve(file.getFileName()).toString().replace("'", "''");
        Path target = file.resolveSibling("target");
        for (String sql : List.of(
                "SELECT * FROM read_csv('" + file + "')",
                "SELECT * FROM read_text('" + file + "')",
                "SELECT * FROM '" + file + "'",
                "SELECT * FROM read_text('" + inside + "')",
                "COPY (SELECT 1) TO '" + target + "'",
                "EXPORT DATABASE '" + target + "'",
                "ATTACH '" + target + "' AS other",
                "SELECT * FROM read_csv('http://127.0.0.1:1/a.csv')",
                "INSTALL httpfs",
                "LOAD httpfs",
                "LOAD '" + file + "'")) {
            assertThatThrownBy(() -> run(sql)).as(sql).isInstanceOf(SQLException.class);
        }
        assertThat(target).doesNotExist();
    }

    @Test
    void aLinkInTheFolderLeadsNowhere() throws IOException {
        Path link = Files.createSymbolicLink(scratch.resolve("link.csv"), file);
        String quoted = DuckDatabase.quote(link);
        assertThatThrownBy(() -> run("SELECT * FROM read_text(" + quoted + ")"))
                .hasMessageContaining("Cannot access file");
    }

    @Test
    void theConfigurationIsLocked() {
        for (String sql : List.of(
                "SET enable_external_access = true",
                "RESET lock_configuration",
                "SET lock_configuration = false",
                "SET allowed_directories = ['/']",
                "SET autoload_known_extensions = true",
                "SET temp_directory = '/tmp'")) {
            assertThatThrownBy(() -> run(sql)).as(sql).hasMessageContaining("locked");
        }
    }

    @Test
    void filesInTheFolderAreReadAndWritten() throws SQLException {
        String inside = DuckDatabase.quote(scratch.resolve("rows.parquet"));
        run("COPY (SELECT 7 AS a) TO " + inside + " (FORMAT parquet)");
        run("SELECT * FROM read_parquet(" + inside + ")");
    }

    @Test
    void aDatabaseForMergesHasNoFiles() throws SQLException {
        try (DuckDatabase merging = new DuckDatabase(Optional.empty(), Optional.empty());
                DuckDBConnection without = merging.connect();
                PreparedStatement statement =
                        without.prepareStatement("SELECT current_setting('enable_external_access')")) {
            assertThat(statement.execute()).isTrue();
            assertThatThrownBy(() -> {
                        try (PreparedStatement read =
                                without.prepareStatement("SELECT * FROM read_text('" + file + "')")) {
                            read.execute();
                        }
                    })
                    .isInstanceOf(SQLException.class);
        }
    }
}
