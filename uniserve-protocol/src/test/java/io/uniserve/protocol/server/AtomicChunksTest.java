package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Atomic tables of chunks: creation and expiry around versions in flight, and reads by older maps (docs/protocol.md, section 6.7). */
class AtomicChunksTest {
    private static final long HOUR = 3_600_000;
    private static final int BUCKETS = 2;
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            BUCKETS,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));
    private static final Predicate<List<Op>> MAP_WRITE =
            ops -> ops.stream().anyMatch(op -> op instanceof Op.Set && op.path().equals(RegistryPaths.map(Cluster.T)));

    private final Cluster cluster = new Cluster(4);
    private final AtomicCluster atomic = AtomicCluster.ofChunks(cluster, HOURS, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
    private final int now = HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
    /** First actors of the chunk that expires first, and of the present one. */
    private final int old = BUCKETS * (now - 3);

    private final int live = BUCKETS * now;

    private AdminRequest request(Integer... chunks) {
        return new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(chunks));
    }

    @BeforeEach
    void makeTheFirstChunks() {
        assertThat(atomic.admin(request(now - 3, now))).isInstanceOf(Outcome.Ok.class);
        ready(old, old + 1, live, live + 1);
    }

    private void make(int chunk) {
        assertThat(atomic.admin(request(chunk))).isInstanceOf(Outcome.Ok.class);
        ready(BUCKETS * chunk, BUCKETS * chunk + 1);
    }

    private void ready(int... actors) {
        for (int actor : actors) {
            cluster.await(
                    () -> cluster.actor(actor).epochStarted()
                            && cluster.actor(actor).isr().stream()
                                    .allMatch(id -> cluster.server(id).serving(cluster.key(actor))),
                    30);
        }
    }

    private Host manager() {
        return cluster.primary(live);
    }

    /** Drops the oldest chunk, by the leader's clock. */
    private void expire() {
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 30);
    }

    private Decision decision(long version) {
        return TransactionLogTransitions.decision(atomic.log(), version).orElseThrow();
    }

    private boolean startedAhead() {
        TransactionLogState.InFlight flight = atomic.log().inFlight();
        return flight != null && flight.isStartedAhead();
    }

    private Map<Integer, String> readAll(AtomicReader reader) {
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        reader.begin(20, List.of(), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 21);
        TreeMap<Integer, String> values = new TreeMap<>();
        outcome.get(0).value().values().forEach((actor, value) -> values.put(actor, value.utf8()));
        return values;
    }

    private Map<Integer, String> readStrict(AtomicReader reader) {
        Outcome<List<StrictReadExecution.Result>> outcome = reader.strict(20, Cluster.T);
        TreeMap<Integer, String> values = new TreeMap<>();
        outcome.value().get(0).values().forEach((actor, value) -> values.put(actor, value.utf8()));
        return values;
    }

    @Test
    void aTableWithoutChunksIsEmptyInEveryMode() {
        AtomicCluster none = AtomicCluster.ofChunks(new Cluster(3), HOURS, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        none.reader().begin(20, List.of(), outcome::add);
        none.cluster.await(() -> !outcome.isEmpty(), 21);
        assertThat(outcome.get(0).value().values()).isEmpty();
        assertThat(none.reader().strict(20, Cluster.T).value().get(0).values()).isEmpty();
    }

    @Test
    void anUpdateOfSeveralChunksIsSeenWhole() {
        AtomicWatch watch = atomic.watch();
        long first = atomic.update(manager(), rows("a", old, live, live + 1));
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        long second = atomic.update(manager(), rows("b", old, middle, live));
        String both = first + "=a," + second + "=b";
        Map<Integer, String> expected = new TreeMap<>(Map.of(
                old, both, old + 1, "", middle, second + "=b", middle + 1, "", live, both, live + 1, first + "=a"));
        assertThat(readAll(atomic.reader())).isEqualTo(expected);
        assertThat(readStrict(atomic.reader())).isEqualTo(expected);
        watch.ended();
    }

    @Test
    void aReaderWithAnOlderMapAsksTheNewChunkToo() {
        atomic.update(manager(), rows("a", old, live));
        AtomicReader behind = atomic.reader();
        behind.lag();
        AtomicReader strict = atomic.reader();
        strict.lag();
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        long second = atomic.update(manager(), rows("b", middle));
        assertThat(readAll(behind).get(middle)).isEqualTo(second + "=b");
        assertThat(readStrict(strict).get(middle)).isEqualTo(second + "=b");
    }

    /** The other servers do not know yet that the version is committed: it must be read from the new chunk itself. */
    @Test
    void aVersionOfTheNewChunkAloneIsReadThoughNoOtherServerKnowsIt() {
        atomic.update(manager(), rows("a", old, live));
        AtomicReader behind = atomic.reader();
        behind.lag();
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        cluster.network.lose((to, request) -> request instanceof PeerRequest.PublishTransactionLog);
        Host other = atomic.other(old, old + 1, live, live + 1);
        long second = atomic.update(other, rows("b", middle));
        assertThat(readAll(behind).get(middle)).isEqualTo(second + "=b");
    }

    @Test
    void votesOfANewChunkWaitUntilNoReaderLacksIt() {
        atomic.update(manager(), rows("a", old, live));
        cluster.network.lose((to, request) -> request instanceof PeerRequest.ConfirmChunks);
        make(now - 1);
        long start = cluster.loop.nanos();
        List<Outcome<UpdateReply>> updated =
                atomic.send(manager(), cluster.nextId(), 1, rows("b", BUCKETS * (now - 1), live));
        cluster.loop.run(Cluster.SECOND / 2);
        assertThat(updated).isEmpty();
        assertThat(readAll(atomic.reader()).get(live)).as("in flight").doesNotContain("b");
        atomic.version(updated);
        assertThat(cluster.loop.nanos() - start).isGreaterThan(Cluster.SECOND);
    }

    @Test
    void aNewActorHasTheVersionInFlightAsItsFirst() {
        atomic.update(manager(), rows("a", live));
        assertThat(startedAhead()).isTrue();
        long ahead = Objects.requireNonNull(atomic.log().inFlight()).version();
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        assertThat(cluster.actor(middle).firstVersion()).isEqualTo(ahead);
        cluster.await(() -> atomic.log().inFlight() == null, 10);
        make(now - 2);
        assertThat(cluster.actor(BUCKETS * (now - 2)).firstVersion())
                .isEqualTo(atomic.log().nextVersion());
        cluster.primary(middle).kill();
        long epoch = cluster.actor(middle).epoch();
        cluster.await(() -> cluster.actor(middle).epoch() > epoch, 60);
        assertThat(cluster.actor(middle).firstVersion()).as("after a fail-over").isEqualTo(ahead);
    }

    /** The manager does not know that its version was aborted before the chunk existed. */
    @Test
    void aNewActorRefusesAVersionThatWasAbortedBeforeItExisted() {
        Host driver = manager();
        Host other = atomic.other(live);
        int elsewhere = IntStream.of(old, old + 1, live + 1)
                .filter(actor -> cluster.primary(actor) != driver)
                .findFirst()
                .orElseThrow();
        long ahead = atomic.update(driver, rows("a", live)) + 1;
        assertThat(startedAhead()).isTrue();
        List<PeerRequest.Prepare> prepares = new ArrayList<>();
        cluster.network.lose((to, request) -> request instanceof PeerRequest.PublishTransactionLog
                || to.equals(driver.address()) && request instanceof PeerRequest.Decide
                || request instanceof PeerRequest.Prepare prepare
                        && prepare.version() == ahead
                        && prepares.add(prepare));
        driver.registry().holdReads(atomic.logPath()::equals);
        int middle = BUCKETS * (now - 1);
        // it waits for the map
        List<Outcome<UpdateReply>> late = atomic.send(driver, cluster.nextId(), 1, rows("c", middle));
        long second = atomic.update(other, rows("b", elsewhere));
        assertThat(second).isGreaterThan(ahead);
        assertThat(decision(ahead).committed()).isFalse();
        make(now - 1);
        assertThat(cluster.actor(middle).firstVersion()).isGreaterThan(ahead);
        cluster.await(() -> !prepares.isEmpty(), 5);
        List<Outcome<PeerReply>> votes = new ArrayList<>();
        cluster.primary(middle).machine().onPeer(prepares.get(0), votes::add);
        cluster.await(() -> !votes.isEmpty(), 5);
        assertThat(votes.get(0).value())
                .isInstanceOfSatisfying(
                        Vote.class, vote -> assertThat(vote.kind()).isEqualTo(Vote.Kind.ALREADY_DECIDED));
        driver.registry().release();
        cluster.network.lose((to, request) -> false);
        assertThat(atomic.version(late)).isGreaterThan(second);
    }

    /** The abort of a version that was started ahead is on its way when a chunk is made: it names the new actors too. */
    @Test
    void anAbortOfAVersionStartedAheadNamesAllActorsOfTheMap() {
        Host driver = manager();
        Host other = atomic.other(live, live + 1);
        long ahead = atomic.update(driver, rows("a", live)) + 1;
        assertThat(startedAhead()).isTrue();
        other.registry().hold(ops -> ops.stream().anyMatch(op -> op.path().equals(atomic.logPath())));
        List<Outcome<UpdateReply>> second = atomic.send(other, cluster.nextId(), 1, rows("b", live));
        cluster.await(() -> other.registry().holding() > 0, 10);
        assertThat(startedAhead()).isTrue();
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        assertThat(cluster.actor(middle).firstVersion()).isEqualTo(ahead);
        cluster.network.lose(
                (to, request) -> request instanceof PeerRequest.Decide decide && decide.version() == ahead);
        other.registry().release();
        cluster.await(() -> !TransactionLogTransitions.isInFlight(atomic.log(), ahead), 10);
        assertThat(decision(ahead).unackedParticipants())
                .isEqualTo(cluster.map().numbers())
                .contains(middle);
        cluster.network.lose((to, request) -> false);
        assertThat(atomic.version(second)).isGreaterThan(ahead);
        cluster.await(() -> decision(ahead).unackedParticipants().isEmpty(), 30);
    }

    @Test
    void aChunkIsMadeThoughTheTransactionLogChangesMeanwhile() {
        atomic.update(manager(), rows("a", live));
        for (int round = 0; round < 12; round++) {
            cluster.coordinatorRegistry.hold(MAP_WRITE);
            List<Outcome<AdminReply>> made = new ArrayList<>();
            if (round == 0) {
                cluster.coordinator.onAdmin(request(now - 1), made::add);
            }
            cluster.await(() -> cluster.coordinatorRegistry.holding() > 0, 10);
            atomic.update(manager(), rows("b", live));
            assertThat(cluster.map().has(BUCKETS * (now - 1))).isFalse();
            cluster.coordinatorRegistry.release();
        }
        int middle = BUCKETS * (now - 1);
        cluster.await(() -> cluster.map().has(middle), 10);
        assertThat(cluster.actor(middle).firstVersion()).isGreaterThanOrEqualTo(12);
        ready(middle);
        atomic.update(manager(), rows("c", middle, live));
    }

    @Test
    void anUpdateOfAnExpiredChunkFailsAndOthersOfItsVersionAreTriedAgain() {
        atomic.update(manager(), rows("a", old, live));
        Host driver = manager();
        cluster.loop.run(Cluster.SECOND / 100);
        AtomicInteger decisions = new AtomicInteger(); // the second one is of both updates that wait meanwhile
        driver.registry().hold(ops -> AtomicCluster.DECISION.test(ops) && decisions.incrementAndGet() > 1);
        List<Outcome<UpdateReply>> first = atomic.send(driver, cluster.nextId(), 1, rows("b", live));
        List<Outcome<UpdateReply>> late = atomic.send(driver, cluster.nextId(), 1, rows("c", old, live));
        List<Outcome<UpdateReply>> other = atomic.send(driver, cluster.nextId(), 1, rows("d", live, live + 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.version(first);
        expire();
        long start = cluster.loop.nanos();
        driver.registry().release();
        assertThat(atomic.error(late)).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        atomic.version(other);
        assertThat(cluster.loop.nanos() - start).isLessThan(Cluster.SECOND);
        assertThat(readAll(atomic.reader()).get(live))
                .contains("b")
                .contains("d")
                .doesNotContain("c");
        assertThat(readAll(atomic.reader())).doesNotContainKey(old);
        assertThat(atomic.error(atomic.send(atomic.other(live), cluster.nextId(), 1, rows("e", old))))
                .isEqualTo(ErrorCode.CHUNK_EXPIRED);
    }

    @Test
    void aCommitBeforeTheExpiryIsTheOutcomeOfARetryAfterIt() {
        RequestId id = cluster.nextId();
        Host other = atomic.other(live, old);
        atomic.update(other, rows("a", live));
        atomic.update(manager(), rows("b", live));
        cluster.network.lose((to, request) -> request instanceof PeerRequest.PublishTransactionLog);
        atomic.update(other, rows("c", live));
        other.registry().holdReads(atomic.logPath()::equals); // so it has the log of its last update
        long version = atomic.version(atomic.send(manager(), id, 1, rows("d", old, live)));
        expire();
        cluster.loop.run(Cluster.SECOND);
        List<Outcome<UpdateReply>> retried = atomic.send(other, id, 2, rows("d", old, live));
        cluster.loop.run(Cluster.SECOND);
        other.registry().release();
        assertThat(atomic.version(retried)).isEqualTo(version);
    }

    @Test
    void decisionsDoNotWaitForActorsOfAnExpiredChunk() {
        cluster.network.lose((to, request) ->
                request instanceof PeerRequest.Decide decide && decide.key().actor() == old);
        long version = atomic.update(manager(), rows("a", old, live));
        cluster.await(() -> decision(version).unackedParticipants().equals(List.of(old)), 30);
        Host driver = manager();
        driver.kill(); // another server has to find out
        expire();
        cluster.await(() -> decision(version).unackedParticipants().isEmpty(), 60);
    }

    @Test
    void aReadStartsAnewWithoutAChunkThatExpires() {
        atomic.update(manager(), rows("a", old, old + 1, live));
        AtomicReader behind = atomic.reader();
        behind.lag();
        expire();
        cluster.await(
                () -> cluster.servers.values().stream()
                        .noneMatch(host -> host.gates.get(cluster.key(old)) != null
                                || host.gates.get(cluster.key(old + 1)) != null),
                60);
        assertThat(readAll(behind)).containsOnlyKeys(live, live + 1);
        AtomicReader strict = atomic.reader();
        assertThat(readStrict(strict)).containsOnlyKeys(live, live + 1);
    }

    /** A later round of a query reads the version of an earlier one. */
    private Outcome<SnapshotReadExecution.Result> readAt(AtomicReader reader, long version) {
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        reader.beginAt(version, 20, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 21);
        return outcome.get(0);
    }

    @Test
    void aNewChunkIsEmptyAtVersionsBeforeItsFirst() {
        long version = atomic.update(manager(), rows("a", live));
        AtomicReader behind = atomic.reader();
        behind.lag();
        make(now - 1);
        int middle = BUCKETS * (now - 1);
        atomic.update(manager(), rows("b", middle, live));
        for (AtomicReader reader : List.of(behind, atomic.reader())) {
            Map<Integer, Bytes> values = readAt(reader, version).value().values();
            assertThat(values).containsEntry(live, Bytes.utf8(version + "=a")).containsEntry(middle, Bytes.EMPTY);
        }
    }

    @Test
    void aReadOfAGivenVersionFailsIfOneOfItsChunksExpires() {
        long version = atomic.update(manager(), rows("a", old, live));
        AtomicReader behind = atomic.reader();
        behind.lag();
        expire();
        cluster.await(
                () -> cluster.servers.values().stream().noneMatch(host -> host.gates.get(cluster.key(old)) != null),
                60);
        assertThat(readAt(behind, version).error().code()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(readAt(atomic.reader(), version).value().values()).containsOnlyKeys(live, live + 1);
    }

    @Test
    void anUpdateOfAChunkThatTheManagerDoesNotKnowYetWaits() {
        Host driver = manager();
        driver.registry().holdReads(RegistryPaths.map(Cluster.T)::equals);
        assertThat(atomic.admin(request(now - 1))).isInstanceOf(Outcome.Ok.class);
        int middle = BUCKETS * (now - 1);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", middle));
        cluster.loop.run(Cluster.SECOND);
        assertThat(outcome).isEmpty();
        driver.registry().release();
        atomic.version(outcome);
        ActorState made = cluster.actor(middle);
        assertThat(made.firstVersion()).isPositive();
    }
}
