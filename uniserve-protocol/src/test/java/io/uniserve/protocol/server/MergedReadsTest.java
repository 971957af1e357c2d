package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Reads with values that servers merge over their actors. Each actor counts once, however often it is read again. */
class MergedReadsTest {
    private static final int ACTORS = 4;

    private final AtomicCluster atomic = new AtomicCluster(2, ACTORS, 2);
    private final Cluster cluster = atomic.cluster;
    private final AtomicReader reader = atomic.reader();
    private final Map<String, Integer> actorsAsked = new TreeMap<>();
    private int requests;

    /** Reads with merged values of one version. The test may change the replies. */
    private SnapshotReadExecution.Result read(UnaryOperator<VersionedRead.Reply> change) {
        Query query = new Query(
                Cluster.T,
                Optional.empty(),
                "rows@1",
                Bytes.EMPTY,
                ReadMode.LINEARIZABLE,
                cluster.loop.nanos() + 20 * Cluster.SECOND);
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        new SnapshotReadExecution(
                        reader.environment(),
                        (to, request, completion) -> {
                            requests++;
                            actorsAsked.merge(to.toString(), request.targets().size(), Integer::sum);
                            assertThat(request.acceptsMerged()).isTrue();
                            Completion<VersionedRead.Reply> merged =
                                    reply -> completion.done(reply.map(value -> change.apply(merged(value))));
                            cluster.loop.soon(() -> atomic.read(to, request, merged));
                            return () -> {};
                        },
                        reader.floors,
                        query,
                        outcome::add)
                .start();
        cluster.await(() -> !outcome.isEmpty(), 21);
        if (outcome.get(0) instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
            return ok.value();
        }
        throw new AssertionError("not read: " + outcome);
    }

    private static VersionedRead.Reply merged(VersionedRead.Reply reply) {
        TreeMap<Long, VersionedRead.Part> together = new TreeMap<>();
        for (VersionedRead.Part part : reply.parts()) {
            together.merge(part.completeVersion(), part, MergedReadsTest::joined);
        }
        return new VersionedRead.Reply(List.copyOf(together.values()), reply.failures());
    }

    private static VersionedRead.Part joined(VersionedRead.Part one, VersionedRead.Part other) {
        List<Integer> actors = new ArrayList<>(one.actors());
        actors.addAll(other.actors());
        return new VersionedRead.Part(
                actors,
                one.completeVersion(),
                Bytes.utf8(one.value().utf8() + "+" + other.value().utf8()));
    }

    private static void complete(SnapshotReadExecution.Result result, String row) {
        List<Integer> actors = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (VersionedRead.Part part : result.parts()) {
            actors.addAll(part.actors());
            values.addAll(List.of(part.value().utf8().split("\\+")));
        }
        assertThat(actors).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(values).hasSize(ACTORS).allMatch(value -> value.endsWith("=" + row));
        assertThat(result.asQueryResult().actors())
                .isEqualTo(
                        result.parts().stream().map(VersionedRead.Part::actors).toList());
    }

    @Test
    void aPartOfSeveralActorsIsOnePart() {
        long version = atomic.update(atomic.primary(0), rows("a", 0, 1, 2, 3));
        cluster.loop.run(Cluster.SECOND);
        SnapshotReadExecution.Result result = read(reply -> reply);
        complete(result, "a");
        assertThat(result.version()).isEqualTo(version);
        assertThat(result.parts()).hasSizeLessThan(ACTORS).hasSize(requests);
        assertThat(result.rounds()).isEqualTo(1);
    }

    private void written() {
        atomic.update(atomic.primary(0), rows("a", 0, 1, 2, 3));
        cluster.loop.run(Cluster.SECOND);
    }

    /** Sets the read weights of the two servers. */
    private void weigh(double first, double second) {
        Iterator<String> names = cluster.servers.keySet().iterator();
        reader.weights = Map.of(new ServerId(names.next()), first, new ServerId(names.next()), second);
    }

    private static void threeQuartersOf800(Map<String, Integer> asked) {
        assertThat(asked).hasSize(2);
        assertThat(asked.values().stream().mapToInt(n -> n).max().orElseThrow())
                .as("three quarters of 800 in %s", asked)
                .isBetween(540, 660);
    }

    @Test
    void readsFollowTheWeightsOfTheirActors() {
        written();
        weigh(1, 0);
        for (int i = 1; i <= 10; i++) {
            complete(read(reply -> reply), "a");
            assertThat(requests)
                    .as("one server holds everything, and has all of the weight")
                    .isEqualTo(i);
        }
        weigh(0.25, 0.75);
        actorsAsked.clear();
        for (int i = 0; i < 200; i++) {
            complete(read(reply -> reply), "a");
        }
        threeQuartersOf800(actorsAsked);
    }

    @Test
    void strictReadsFollowThemToo() {
        written();
        weigh(1, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(reader.strict(20, Cluster.T)).isInstanceOf(Outcome.Ok.class);
        }
        assertThat(reader.actorsAsked.values()).containsExactly(10 * ACTORS);
        weigh(0.25, 0.75);
        reader.actorsAsked.clear();
        for (int i = 0; i < 200; i++) {
            assertThat(reader.strict(20, Cluster.T)).isInstanceOf(Outcome.Ok.class);
        }
        threeQuartersOf800(reader.actorsAsked);
    }

    /** So a server that plans a query prefers its own replicas, as for an eventual table. */
    @Test
    void theClientsRoutingPolicyPicksAmongReplicas() {
        written();
        TreeSet<String> servers = new TreeSet<>();
        for (String name : cluster.servers.keySet()) {
            reader.policy = RoutingPolicy.preferLocal(new ServerId(name));
            actorsAsked.clear();
            reader.actorsAsked.clear();
            for (int i = 0; i < 10; i++) {
                complete(read(reply -> reply), "a");
                assertThat(reader.strict(20, Cluster.T)).isInstanceOf(Outcome.Ok.class);
            }
            assertThat(actorsAsked).hasSize(1).containsValue(10 * ACTORS).isEqualTo(reader.actorsAsked);
            servers.addAll(actorsAsked.keySet());
        }
        assertThat(servers).hasSameSizeAs(cluster.servers.keySet());
    }

    @Test
    void whatIsBehindIsAskedAgainWithAllItsActors() {
        atomic.update(atomic.primary(0), rows("a", 0, 1, 2, 3));
        cluster.loop.run(Cluster.SECOND);
        reader.read(0, 1, 2, 3); // its client will accept no older version
        boolean[] first = {true};
        SnapshotReadExecution.Result result = read(reply -> {
            boolean older = first[0];
            first[0] = false;
            return older
                    ? new VersionedRead.Reply(
                            reply.parts().stream()
                                    .map(part -> new VersionedRead.Part(part.actors(), 0, Bytes.utf8("old")))
                                    .toList(),
                            reply.failures())
                    : reply;
        });
        complete(result, "a");
        assertThat(result.rounds()).isEqualTo(2);
    }

    @Test
    void aPartThatHasAnActorTwiceOrAForeignOneCountsForNone() {
        atomic.update(atomic.primary(0), rows("a", 0, 1, 2, 3));
        cluster.loop.run(Cluster.SECOND);
        int[] replies = {0};
        SnapshotReadExecution.Result result = read(reply -> {
            if (replies[0]++ >= 2) {
                return reply;
            }
            int foreign = replies[0] == 1 ? 99 : reply.parts().get(0).actors().get(0);
            return new VersionedRead.Reply(
                    reply.parts().stream()
                            .map(part -> {
                                List<Integer> actors = new ArrayList<>(part.actors());
                                actors.add(foreign);
                                return new VersionedRead.Part(actors, part.completeVersion(), part.value());
                            })
                            .toList(),
                    reply.failures());
        });
        complete(result, "a");
    }

    @Test
    void anActorThatFailedIsAskedAloneElsewhere() {
        atomic.update(atomic.primary(0), rows("a", 0, 1, 2, 3));
        cluster.loop.run(Cluster.SECOND);
        TreeSet<Integer> failed = new TreeSet<>();
        SnapshotReadExecution.Result result = read(reply -> {
            if (!failed.isEmpty() || reply.parts().isEmpty()) {
                return reply;
            }
            failed.addAll(reply.parts().get(0).actors());
            List<ActorFailure> failures = new ArrayList<>();
            failed.forEach(actor -> failures.add(new ActorFailure(actor, ErrorCode.LEASE_EXPIRED, "planted", 0)));
            return new VersionedRead.Reply(List.of(), failures);
        });
        complete(result, "a");
        assertThat(failed).isNotEmpty();
    }
}
