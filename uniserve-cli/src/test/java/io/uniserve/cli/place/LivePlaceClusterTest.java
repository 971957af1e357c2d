package io.uniserve.cli.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.RunningCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plans of real daemons: a dry run changes nothing, the plan is carried out, and the places are explained. */
@Timeout(300)
class LivePlaceClusterTest {
    private final TestingConsole uniserve = new TestingConsole(RemoteCluster::connect);

    @TempDir
    Path directory;

    private Run run(RunningCluster cluster, String... words) {
        String[] all = new String[words.length + 2];
        System.arraycopy(words, 0, all, 0, words.length);
        all[words.length] = "--bootstrap";
        all[words.length + 1] = cluster.bootstrap();
        return uniserve.run(all);
    }

    private JsonNode json(RunningCluster cluster, String... words) throws IOException {
        String[] all = new String[words.length + 2];
        System.arraycopy(words, 0, all, 0, words.length);
        all[words.length] = "-o";
        all[words.length + 1] = "json";
        Run run = run(cluster, all);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        return new ObjectMapper().readTree(run.lines().get(0));
    }

    @Test
    void aPlanIsShownCarriedOutAndExplained() throws Exception {
        try (RunningCluster cluster =
                new RunningCluster(directory, Map.of("uniserve.coordinator.rebalance.period", "0s"))) {
            Run none = run(cluster, "place", "--live");
            assertThat(none.err()).contains("the cluster has no tables");
            run(cluster, "table", "create", "words", "--engine", "kv", "--actors", "6", "--rf", "1");
            String source =
                    json(cluster, "status").get("servers").get(0).get("id").asText();
            Run drained = run(cluster, "drain", source);
            assertThat(drained.exit()).as(drained.err()).isZero();
            Run alone = run(cluster, "place", "--live");
            assertThat(alone.err()).contains("has 1 servers that may have replicas");
            run(cluster, "drain", source, "--undo");

            await("all replicas report").untilAsserted(() -> {
                JsonNode plan = json(cluster, "place", "--live", "--dry-run");
                assertThat(plan.get("changes")).hasSize(3);
                assertThat(plan.get("before").get("min").asDouble()).isZero();
                assertThat(plan.get("after").get("min").asDouble()).isGreaterThan(0.9);
            });
            assertThat(json(cluster, "place", "--live", "--dry-run").get("changes"))
                    .as("a dry run changes nothing")
                    .hasSize(3);
            JsonNode change = json(cluster, "place", "--live", "--dry-run", "--policy", "parallelism")
                    .get("changes")
                    .get(0);
            assertThat(change.get("change").asText()).isEqualTo("move");

            Run done = run(cluster, "place", "--live");
            assertThat(done.exit()).as(done.err()).isZero();
            assertThat(done.out()).contains("3 moves", "3 changes done, 0 refused");
            JsonNode after = json(cluster, "place", "--live", "--dry-run");
            assertThat(after.get("changes")).isEmpty();
            assertThat(after.get("before").get("max").asDouble()).isLessThan(1.1);

            Run why = run(cluster, "explain", "words", "0");
            assertThat(why.exit()).as(why.err()).isZero();
            assertThat(why.out()).contains("words/0", "it stays: every server is within its tolerance", "primary");
            assertThat(run(cluster, "explain", "words", "6").err()).contains("ACTOR 6: table words has actors 0 to 5");
            assertThat(run(cluster, "explain", "nothing", "0").err()).contains("table nothing does not exist");
        }
    }

    @Test
    void aPolicyOfTheUserThatFailsMovesNothingAndStatusTellsWhy() throws Exception {
        Map<String, String> settings = Map.of(
                "uniserve.coordinator.rebalance.period",
                "200ms",
                "uniserve.coordinator.rebalance.policy",
                LivePlaceCommandTest.Throwing.class.getName());
        try (RunningCluster cluster = new RunningCluster(directory, settings)) {
            run(cluster, "table", "create", "words", "--engine", "kv", "--actors", "2", "--rf", "1");
            List<String> before = places(cluster);
            assertThat(before).hasSize(2);
            await("a reason")
                    .untilAsserted(() -> assertThat(run(cluster, "status").out())
                            .contains(
                                    "rebalancing: has no plan: ",
                                    "the policy failed: java.lang.IllegalStateException: no idea"));
            assertThat(places(cluster)).isEqualTo(before);
        }
    }

    private List<String> places(RunningCluster cluster) throws IOException {
        List<String> places = new ArrayList<>();
        for (JsonNode actor : json(cluster, "status").get("tables").get(0).get("actors")) {
            places.add(actor.get("primary").asText() + " in epoch "
                    + actor.get("epoch").asText());
        }
        return places;
    }
}
