package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.port.LoadedPort;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers with different builds of a port: operators of one name may mean different things, and never answer one plan together. */
class BuildsTest {
    @TempDir
    Path directory;

    private TestCluster cluster;

    @BeforeEach
    void start() {
        cluster = new TestCluster(directory);
    }

    @AfterEach
    void stop() {
        cluster.close();
        assertThat(cluster.fatal.get()).isNull();
    }

    private void server(String name, String build) {
        cluster.servers.put(
                name,
                ServerDaemon.start(
                        cluster.settings(name, Map.of()),
                        Map.of(KvEngine.NAME, LoadedPort.of(new KvEngine(), build)),
                        cluster.fatal::set));
    }

    @Test
    void aPlanOverServersOfTwoBuildsIsRefusedByEach() {
        server("a", "one");
        server("b", "two");
        cluster.createTable(4, 1, 2);
        cluster.put(0, 20);
        Set<ServerId> primaries = new HashSet<>();
        cluster.table().map().actors().forEach(actor -> primaries.add(actor.primary()));
        assertThat(primaries).as("each server has a part of the table").hasSize(2);
        for (String name : new String[] {"a", "b"}) {
            assertThatThrownBy(() -> cluster.query(cluster.address(name), "count"))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATOR))
                    .hasMessageContaining(
                            "\"kv.count@1\" of the build that planned the query, " + (name.equals("a") ? "one" : "two"))
                    .hasMessageContaining("install the same on all");
        }
    }

    @Test
    void whereAReplicaOfTheOwnBuildIsThereItIsAsked() {
        server("a", "one");
        server("b", "two");
        cluster.createTable(4, 2, 2);
        cluster.put(0, 20);
        await().until(() -> cluster.table().map().actors().stream()
                .allMatch(actor -> actor.isr().size() == 2));
        for (String name : new String[] {"a", "b"}) {
            assertThat(cluster.query(cluster.address(name), "count").body().utf8())
                    .isEqualTo("{\"count\":20}");
        }
    }

    @Test
    void serversOfOneBuildAnswerTogether() {
        server("a", "one");
        server("b", "one");
        cluster.createTable(4, 1, 2);
        cluster.put(0, 20);
        assertThat(cluster.query("count").body().utf8()).isEqualTo("{\"count\":20}");
    }
}
