package io.uniserve.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code place --live} and {@code explain TABLE ACTOR}: plans of a running cluster of two servers. */
class LivePlaceCommandTest {
    private static final ServerId ONE = new ServerId("server-1");
    private static final ServerId TWO = new ServerId("server-2");

    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    /** Policy that throws. */
    public static final class Throwing implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            throw new IllegalStateException("no idea");
        }
    }

    @BeforeEach
    void create() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "4", "--rf", "1");
    }

    /** Sets a status in which all actors are on the first server, each with this load. */
    private void loads(double... costs) {
        loads(Rebalance.NONE, cluster.servers(), costs);
    }

    private void loads(Rebalance rebalance, List<ServerRecord> servers, double... costs) {
        TableRoute words = cluster.table(new TableName("words"));
        List<ActorState> actors = new ArrayList<>();
        List<ReplicaLoad> replicas = new ArrayList<>();
        for (int i = 0; i < costs.length; i++) {
            List<ServerId> one = List.of(ONE);
            actors.add(new ActorState(i, 1, ONE, one, List.of(), List.of(), one, Map.of(), 0, true, PreviousIsr.NONE));
            ReplicaKey key = new ReplicaKey(words.meta().tableId(), i);
            replicas.add(new ReplicaLoad(key, 1, "PRIMARY", 9, 9, 9, 4, 1_000, 3 << 20, costs[i], 2.5, 7, 5, 61));
        }
        TableRoute route =
                new TableRoute(words.meta(), new TableMap(words.meta().name(), 1, actors), 1);
        List<Load> loads = new ArrayList<>();
        servers.forEach(server -> loads.add(
                new Load(server.id(), server.id().equals(ONE) ? replicas : List.of(), 15.0, 5 << 20, List.of())));
        cluster.status(new ClusterStatus(
                new Routing("c0ffee", List.of(route), servers, new Address("127.0.0.1", 7070)),
                7,
                loads,
                List.of(),
                rebalance));
    }

    private List<String> requests() {
        return cluster.changes().stream()
                .filter(call -> !call.startsWith("create"))
                .toList();
    }

    @Test
    void aDryRunPrintsMovesReasonsAndTheEffect() {
        loads(50, 50, 50, 50);
        Run run = uniserve.run("place", "--live", "--dry-run");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines().get(0)).isEqualTo("policy greedy: BALANCED");
        assertThat(run.lines().get(1)).startsWith("CHANGE  ACTOR").endsWith("REASON");
        assertThat(run.lines().get(2).split(" +"))
                .startsWith("move", "words/0", "server-1", "server-2", "3.0", "source", "at");
        assertThat(run.out())
                .contains("2 moves, 0 replicas made, 0 dropped, 0 changes of shares, 6.0 MiB to copy")
                .containsPattern("largest load over mean +2\\.000 +1\\.000")
                .containsPattern("least load over mean +0\\.000 +1\\.000")
                .containsPattern("contention +0\\.000 +0\\.000");
        assertThat(requests()).isEmpty();
    }

    @Test
    void jsonHasThePlan() throws IOException {
        loads(50, 50, 50, 50);
        Run run = uniserve.run("place", "--live", "--dry-run", "--policy", "parallelism", "-o", "json");
        JsonNode plan = new ObjectMapper().readTree(run.out());
        assertThat(plan.get("policy").asText()).isEqualTo("parallelism");
        assertThat(plan.get("status").asText()).isEqualTo("BALANCED");
        assertThat(plan.get("changes")).hasSize(2);
        JsonNode move = plan.get("changes").get(0);
        assertThat(move.get("change").asText()).isEqualTo("move");
        assertThat(move.get("table").asText()).isEqualTo("words");
        assertThat(move.get("from").asText()).isEqualTo("server-1");
        assertThat(move.get("to").asText()).isEqualTo("server-2");
        assertThat(move.get("bytes").asLong()).isEqualTo(3 << 20);
        assertThat(plan.get("bytes").asLong()).isEqualTo(6 << 20);
        assertThat(plan.get("before").get("max").asDouble()).isEqualTo(2);
        assertThat(plan.get("after").get("max").asDouble()).isLessThan(1.1);
    }

    @Test
    void withoutDryRunThePlanIsCarriedOut() {
        loads(50, 50, 50, 50);
        Run run = uniserve.run("place", "--live");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(requests()).containsExactly("move words/0 server-1 server-2", "move words/1 server-1 server-2");
        assertThat(run.out()).contains("2 moves", "2 changes done, 0 refused");
    }

    @Test
    void aHotActorGetsACopyByRequest() {
        loads(2_000, 1, 1, 1);
        Run run = uniserve.run("place", "--live", "--policy", "getafix");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines().get(2).split(" +")).startsWith("copy", "words/0", "-", "server-2", "3.0");
        assertThat(requests()).first().isEqualTo("replicate words/0 2");
        Run none = uniserve.run("place", "--live", "--dry-run", "--policy", "getafix", "--copies-max", "0");
        assertThat(none.out()).contains("0 replicas made");
    }

    @Test
    void aBalancedClusterHasAnEmptyPlan() {
        loads(0, 0, 0, 0);
        uniserve.run("place", "--live");
        loads(Rebalance.NONE, cluster.servers());
        Run none = uniserve.run("place", "--live");
        assertThat(none.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(none.err()).contains("the cluster has no tables");
    }

    @Test
    void aClusterThatCannotBePlannedTellsWhy() {
        loads(Rebalance.NONE, cluster.servers().subList(0, 1), 50, 50);
        Run one = uniserve.run("place", "--live");
        assertThat(one.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(one.err()).contains("has 1 servers that may have replicas", "start one or end a drain");
        cluster.status(new ClusterStatus(
                new Routing("c0ffee", cluster.tables(), cluster.servers(), null), 7, List.of(), List.of()));
        Run silent = uniserve.run("place", "--live");
        assertThat(silent.exit()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(silent.err()).contains("2 of 2 servers have not reported their load");
        TestingConsole real = new TestingConsole(RemoteCluster::connect);
        Run unreachable = real.run("place", "--live", "--bootstrap", "127.0.0.1:1");
        assertThat(unreachable.exit()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(unreachable.err()).contains("127.0.0.1:1");
        assertThat(requests()).isEmpty();
    }

    @Test
    void aPolicyThatFailsChangesNothing() {
        loads(50, 50, 50, 50);
        Run run = uniserve.run("place", "--live", "--policy", Throwing.class.getName());
        assertThat(run.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run.out()).contains("REJECTED", "no idea");
        Run limited = uniserve.run("place", "--live", "--moves", "1");
        assertThat(limited.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(limited.out()).contains("REJECTED");
        assertThat(uniserve.run("place", "--live", "--policy", "unknown").exit())
                .isEqualTo(ExitCode.REFUSED);
        assertThat(requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "place                                 | or --live for the running cluster",
                "place --dry-run --instance x          | --dry-run goes with --live",
                "place --live --out x                  | --out does not go with --live",
                "place --live --rf 2                   | --rf does not go with --live",
                "place --live --copies-max 99          | --copies-max is 99",
                "place --live --eps 0                  | --eps is 0.0: use more than 0 with --live",
                "explain                               | give TABLE and ACTOR, or --instance",
                "explain words                         | ACTOR, the number of the actor of table words",
                "explain words 1 --round 2             | --round does not go with TABLE",
                "explain --actor 1 --policy greedy     | give TABLE and ACTOR, or --instance"
            })
    void wrongCommandLinesAreNamed(String line, String message) {
        Run run = uniserve.run(line.split(" +"));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
        assertThat(requests()).isEmpty();
    }

    @Test
    void anActorIsExplained() throws IOException {
        TableName words = new TableName("words");
        loads(
                new Rebalance(
                        "has 1 replicas to move",
                        0,
                        List.of(new MoveStatus(words, 3, List.of(ONE), List.of(TWO), "source at 200% of its due")),
                        List.of(new CopyStatus(words, 3, 1, 1, 0, Map.of(), "waits after a change"))),
                cluster.servers(),
                50,
                50,
                50,
                50);
        Run run = uniserve.run("explain", "words", "0");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.out())
                .contains(
                        "words/0",
                        "load 51.50 ms of CPU per second, 0.50 times the mean of the servers",
                        "server server-1: share 1.000",
                        "it would move from server-1 to server-2: source at 200% of its due",
                        "none under way")
                .containsPattern("server-1 +a +206\\.00 +2\\.000 +primary +hosts it")
                .containsPattern("server-2 +b +0\\.00 +0\\.000 +- +-");
        Run stays = uniserve.run("explain", "words", "3");
        assertThat(stays.out())
                .contains(
                        "it stays: changes of other actors",
                        "moves from server-1 to server-2: source at 200% of its due",
                        "1 replicas, 0 requested automatically: waits after a change");
        JsonNode json = new ObjectMapper()
                .readTree(uniserve.run("explain", "words", "3", "-o", "json").out());
        assertThat(json.get("servers")).hasSize(2);
        assertThat(json.get("servers").get(0).get("role").asText()).isEqualTo("primary");
        assertThat(json.get("servers").get(0).get("overMean").asDouble()).isEqualTo(2);
        assertThat(json.get("automatic")).hasSize(2);
    }

    @Test
    void anUnknownTableOrActorIsRefused() {
        loads(50, 50);
        Run table = uniserve.run("explain", "nothing", "0");
        assertThat(table.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(table.err()).contains("table nothing does not exist");
        Run actor = uniserve.run("explain", "words", "2");
        assertThat(actor.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(actor.err()).contains("ACTOR 2: table words has actors 0 to 1");
    }
}
