package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.QuerySession;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of a table with typed columns, as described in the manual. */
class SessionsTest {
    private static final String COUNT = "SELECT count(*) FROM nation";

    @TempDir
    static Path directory;

    @Test
    void aSessionSeesTheRowsThatWereThereAndTakesNoJoins() throws Exception {
        try (TpchCluster cluster = new TpchCluster(directory)) {
            cluster.load(Tpch.NATION, 2, 1, 0.01);
            cluster.load(Tpch.REGION, 1, 1, 0.01);
            try (QuerySession session = cluster.client().table("nation").session(Duration.ofMinutes(1))) {
                cluster.put(
                        "nation",
                        "duckdb.delete@1",
                        Tpch.documents(Tpch.NATION, Tpch.NATION.lines(0.01).subList(0, 5), cluster.columns("nation")));

                assertThat(session.query(COUNT).body().utf8()).contains("[25]");
                assertThat(cluster.ask("nation", COUNT)).contains("[20]");
                assertThatThrownBy(() ->
                                session.query("SELECT count(*) FROM nation JOIN region ON n_regionkey = r_regionkey"))
                        .isInstanceOfSatisfying(
                                UniserveException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
            }
        }
    }
}
