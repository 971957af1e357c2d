package io.uniserve.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.Release;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @Test
    void anEmptyCluster() {
        Run run = uniserve.run("status");
        assertThat(run.exit()).as("server-2 does not answer").isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run.lines())
                .containsExactly(
                        "cluster c0ffee, coordinator 127.0.0.1:7070, term 7",
                        "",
                        "SERVER    ADDRESS         ZONE  PORTS  PRIMARIES  REPLICAS    CPU  QUERIES/S  DISK  STATE",
                        "server-1  127.0.0.1:7071  a     kv             0         0  1.5 %        0.0  0 KB  ok",
                        "server-2  127.0.0.1:7072  b     kv             0         0      -          -     -  unknown",
                        "",
                        "no tables",
                        "",
                        "SEVERITY  OBJECT           PROBLEM",
                        "UNKNOWN   server server-2  does not answer the coordinator");
    }

    @Test
    void releasesAreShownWhileTheyDiffer() throws IOException {
        assertThat(uniserve.run("status").out()).doesNotContain("releases");
        cluster.releaseOfTwo(Release.UNKNOWN);
        assertThat(uniserve.run("status").lines())
                .contains("releases: " + Release.CURRENT + " on 1 server, unknown (level 0) on 1 server");
        JsonNode servers = new ObjectMapper()
                .readTree(uniserve.run("status", "-o", "json").out())
                .get("servers");
        assertThat(servers.get(0).get("release").textValue()).isEqualTo(Release.CURRENT.version());
        assertThat(servers.get(1).get("releaseLevel").intValue()).isZero();
    }

    @Test
    void movesAreShownWithTheirReason() throws IOException {
        ServerId one = new ServerId("server-1");
        ServerId two = new ServerId("5345c4a8-0000-4000-8000-000000000001");
        TableName words = new TableName("words");
        cluster.rebalance(new Rebalance(
                "has 4 replicas to move",
                3,
                List.of(
                        new MoveStatus(words, 1, List.of(one), List.of(two), "source at 133% of its due, target at 8%"),
                        new MoveStatus(words, 2, List.of(), List.of(one), ""))));
        assertThat(uniserve.run("status").lines())
                .contains(
                        "rebalancing: has 4 replicas to move",
                        "moving: words/1 from server-1 to 5345c4a8: source at 133% of its due, target at 8%",
                        "moving: words/2 to server-1");
        JsonNode told = new ObjectMapper()
                .readTree(uniserve.run("status", "-o", "json").out())
                .get("rebalance");
        assertThat(told.get("waiting").intValue()).isEqualTo(3);
        assertThat(told.get("moves").get(0).get("to").get(0).textValue()).isEqualTo(two.value());
    }

    @Test
    void actorsAreShownWhenAskedFor() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2");
        assertThat(uniserve.run("status").out()).contains("words  kv");
        assertThat(uniserve.run("status", "--actors").lines())
                .contains(
                        "TABLE  ACTOR  EPOCH  SERVER    ROLE     LAG  LAST  BACKUP LAG  CHECKPOINT  ROWS  QUERIES/S "
                                + " DISK  STATE",
                        "words      1      1  server-1  primary    0     9           2           5     4        2.5  1"
                                + " MB  ok",
                        "words      1      1  server-2  in-sync    -     -           -           -     -          -   "
                                + "  -  unknown: server server-2 does not answer the coordinator");
    }

    @Test
    void loadIsShownWhenAskedFor() throws IOException {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2");
        assertThat(uniserve.run("status", "--load").lines())
                .contains(
                        "SERVER    REPLICAS    CPU  MEMORY  DISK  QUERIES/S  COST MS/S",
                        "server-1         2  1.5 %    5 MB  3 MB        5.0       3.00",
                        "server-2         2      -       -     -          -          -",
                        "TABLE  ACTOR  SERVER    ROLE     COST MS/S  QUERIES/S  ROWS  MEMORY  DISK   AGE",
                        "words      1  server-1  primary       1.50        2.5     4    1 KB  1 MB  61 s",
                        "TABLE  ASKED TOGETHER  QUERIES/S  AT MOST TOO HIGH BY",
                        "words  0 1                  3.50                 0.25");
        JsonNode load = new ObjectMapper()
                .readTree(uniserve.run("status", "--load", "-o", "json").out());
        JsonNode set = load.get("popularSets").get(0);
        assertThat(set.get("actors").get(1).intValue()).isEqualTo(1);
        assertThat(set.get("perSecond").doubleValue()).isEqualTo(3.5);
        assertThat(load.get("servers").get(0).get("memoryBytes").longValue()).isEqualTo(5 << 20);
    }

    @Test
    void json() throws IOException {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2");
        JsonNode status =
                new ObjectMapper().readTree(uniserve.run("status", "-o", "json").out());
        assertThat(status.get("cluster").textValue()).isEqualTo("c0ffee");
        assertThat(status.get("servers")).hasSize(2);
        assertThat(status.get("servers").get(1).get("cpuMillisPerSecond").isNull())
                .isTrue();
        JsonNode table = status.get("tables").get(0);
        assertThat(table.get("rows").longValue()).isEqualTo(8);
        assertThat(table.get("actors").get(0).get("replicas").get(0).get("role").textValue())
                .isEqualTo("primary");
        assertThat(table.get("backupLag").longValue()).isEqualTo(2);
        assertThat(table.get("actors")
                        .get(0)
                        .get("replicas")
                        .get(0)
                        .get("backupCheckpointIndex")
                        .longValue())
                .isEqualTo(5);
    }
}
