package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.ActorView;
import io.uniserve.api.EngineContext;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Automatic copies, and moves by shard sets, on real daemons. Queries report a cost of their own instead of measured CPU time, and one thread asks both tables in
 * turn. So the ratio of the loads, on which all decisions depend, is the same on a machine of any speed.
 */
@Timeout(300)
class HotActorClusterTest {
    private static final RetrieveCall<Long, String> ASK = new RetrieveCall<>("test.ask@1", Codecs.LONG, Codecs.STRING);
    private static final String HOT = "hot";
    private static final String FIXED = "fixed";
    private static final String PAIRS = "pairs";
    /** Costs in nanoseconds: so large that one query in some seconds exceeds every threshold. */
    private static final long HOT_COST = 40_000_000_000L;

    private static final long FIXED_COST = HOT_COST / 2;
    private static final int QUERIES = 600;

    private final AtomicBoolean asksHot = new AtomicBoolean(true);
    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicLong answered = new AtomicLong();
    private final List<String> failed = new CopyOnWriteArrayList<>();

    /** Engine with an operator that reports the cost that it is given, and returns the directory of its server. */
    private static final class CostEngine extends ExtendedKvEngine {
        private static RetrieveOperator<ActorView, Long, String> ask(String server) {
            return RetrieveOperator.of(ASK, ActorView.class, (actor, context, nanos) -> {
                context.reportCost(nanos);
                return server;
            });
        }

        @Override
        List<Operator<?, ?>> added() {
            return List.of(ask(""));
        }

        @Override
        List<Operator<?, ?>> added(EngineContext context) {
            return List.of(ask(context.scratch().toString()));
        }

        @Override
        Answer answer(QueryText query, PlanContext context) {
            throw UniserveException.unsupported("queries in a language");
        }
    }

    private static LocalCluster start(String policy) {
        return LocalCluster.builder()
                .servers(2)
                .engine(new CostEngine())
                .setting("server.load-half-life", "200ms")
                .setting("coordinator.rebalance.period", "200ms")
                .setting("coordinator.rebalance.policy", policy)
                .setting("coordinator.rebalance.copies-cool-down", "0s")
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism"})
    void aHotActorGetsACopyAndSharesAndLosesItWhenCold(String policy) {
        try (LocalCluster cluster = start(policy)) {
            create(cluster, HOT, Map.of());
            create(cluster, FIXED, Map.of(ReservedTableOptions.AUTOMATIC_COPIES, "off"));
            ServerId primary = actor(cluster, HOT).primary();
            assertThat(actor(cluster, FIXED).primary()).isNotEqualTo(primary);
            CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> ask(cluster));
            try {
                await("a copy").until(() -> actor(cluster, HOT).isr().size() == 2);
                // The servers' due is three quarters of the hot load; the other server has half of it already.
                await("shares").until(() -> share(cluster, primary) > 0.6);
                assertThat(actor(cluster, HOT).automaticCopies()).isEqualTo(2);
                assertThat(actor(cluster, HOT).copies())
                        .as("an operator's number")
                        .isZero();
                // An actor that rests after a change has no reason in some plans.
                await("a reason").until(() -> !status(cluster, HOT).reason().isEmpty());
                checkShares(cluster, primary);

                asksHot.set(false);
                await("no copy").until(() -> actor(cluster, HOT).isr().size() == 1);
                assertThat(actor(cluster, HOT).automaticCopies()).isZero();
                assertThat(actor(cluster, HOT).weights()).isEmpty();

                await("a refusal")
                        .until(() -> status(cluster, FIXED).reason().contains("has switched automatic copies off"));
                assertThat(actor(cluster, FIXED).isr()).hasSize(1);
                assertThat(actor(cluster, FIXED).automaticCopies()).isZero();
            } finally {
                end.set(true);
                asking.join();
            }
            assertThat(failed).isEmpty();
            assertThat(cluster.failures()).isEmpty();
        }
    }

    @Test
    void actorsThatAreAskedTogetherAreSeparated() {
        try (LocalCluster cluster = start("parallelism")) {
            cluster.client()
                    .admin()
                    .createTable(TableSpec.named(PAIRS)
                            .port(KvEngine.NAME)
                            .hash(4)
                            .replicas(1)
                            .option(ReservedTableOptions.AUTOMATIC_COPIES, "off"));
            Map<ServerId, List<Integer>> pairs = new TreeMap<>();
            actors(cluster, PAIRS)
                    .forEach(actor -> pairs.computeIfAbsent(actor.primary(), any -> new ArrayList<>())
                            .add(actor.actor()));
            assertThat(pairs)
                    .hasSize(2)
                    .allSatisfy((server, pair) -> assertThat(pair).hasSize(2));
            CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> askPairs(cluster, pairs.values()));
            try {
                await("separation")
                        .until(() -> pairs.values().stream()
                                .allMatch(pair -> pair.stream()
                                                .map(number -> actors(cluster, PAIRS)
                                                        .get(number)
                                                        .primary())
                                                .distinct()
                                                .count()
                                        == 2));
            } finally {
                end.set(true);
                asking.join();
            }
            assertThat(failed).isEmpty();
            assertThat(cluster.failures()).isEmpty();
        }
    }

    /** Asks the actors of each pair together, in turn. All actors have the same load at any speed. */
    private void askPairs(LocalCluster cluster, Collection<List<Integer>> pairs) {
        while (!end.get()) {
            for (List<Integer> pair : pairs) {
                try {
                    cluster.client().table(PAIRS).actors(pair).retrieve(ASK, HOT_COST, parts -> parts.get(0));
                } catch (UniserveException e) {
                    failed.add(e.toString());
                }
            }
        }
    }

    private static void create(LocalCluster cluster, String name, Map<String, String> options) {
        TableSpec spec = TableSpec.named(name).port(KvEngine.NAME).hash(1).replicas(1);
        for (Map.Entry<String, String> option : options.entrySet()) {
            spec = spec.option(option.getKey(), option.getValue());
        }
        cluster.client().admin().createTable(spec);
    }

    /** Asks both tables in turn: the load of the hot one is twice that of the other at any speed. */
    private void ask(LocalCluster cluster) {
        ClientTable hot = cluster.client().table(HOT);
        ClientTable fixed = cluster.client().table(FIXED);
        while (!end.get()) {
            try {
                if (asksHot.get()) {
                    server(hot, HOT_COST);
                }
                server(fixed, FIXED_COST);
                answered.incrementAndGet();
            } catch (UniserveException e) {
                failed.add(e.toString());
            }
        }
    }

    private static String server(ClientTable table, long cost) {
        return table.all().retrieve(ASK, cost, parts -> parts.get(0));
    }

    /** Counts which server answers, and compares it with the shares in the map. */
    private void checkShares(LocalCluster cluster, ServerId primary) {
        ClientTable table = cluster.client().table(HOT);
        Map<String, Integer> counts = new TreeMap<>();
        double before = share(cluster, primary);
        for (int i = 0; i < QUERIES; i++) {
            counts.merge(server(table, 0), 1, Integer::sum);
        }
        double after = share(cluster, primary);
        double most = counts.values().stream().max(Comparator.naturalOrder()).orElse(0) / (double) QUERIES;
        assertThat(counts).hasSize(2);
        // Six standard deviations of 600 draws, and the change of the shares meanwhile.
        assertThat(most).isCloseTo((before + after) / 2, within(0.12 + Math.abs(before - after)));
    }

    private static double share(LocalCluster cluster, ServerId primary) {
        return actor(cluster, HOT).weights().getOrDefault(primary, 0.0);
    }

    private static ActorState actor(LocalCluster cluster, String table) {
        return actors(cluster, table).get(0);
    }

    private static List<ActorState> actors(LocalCluster cluster, String table) {
        return cluster.client().admin().describeTable(table).map().actors();
    }

    private static CopyStatus status(LocalCluster cluster, String table) {
        return cluster.client().admin().status().rebalance().copies().stream()
                .filter(copies -> copies.table().value().equals(table))
                .findFirst()
                .orElse(new CopyStatus(new TableName(table), 0, 0, 0, 0, Map.of(), ""));
    }
}
