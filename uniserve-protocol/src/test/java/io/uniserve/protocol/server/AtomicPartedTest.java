package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server whose ZooKeeper follower is separated from its leader. The server believes that it is connected, reads old data, and gets no
 * changes. A client with an equally old map reads from it every 10 ms. No answer may lack an update that was acknowledged before the
 * request. Each case runs on an actor's primary and on another replica of it.
 */
class AtomicPartedTest {
    private static final long PAUSE_NANOS = 10_000_000L;

    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final AtomicWatch watch = atomic.watch();
    /** Server without a replica of actor 1. */
    private final Host driver = cluster.servers.values().stream()
            .filter(host -> !host.gates.containsKey(cluster.key(1)))
            .findFirst()
            .orElseThrow();

    private final long epoch = cluster.actor(1).epoch();
    private final List<SessionEvent> events = new ArrayList<>();
    private final List<Asked> questions = new ArrayList<>();
    private Host parted = driver;
    private int mapVersion;
    private long acknowledged;

    /** Request with the newest version acknowledged before it, and its answer. */
    private record Asked(long acknowledged, List<AtomicCluster.Answer> heard) {
        private boolean answered() {
            return !heard.isEmpty() && heard.get(0).error().isEmpty();
        }

        private long version() {
            List<String> rows = heard.get(0).rows();
            String last = rows.get(rows.size() - 1);
            return Long.parseLong(last.substring(0, last.indexOf('=')));
        }
    }

    @AfterEach
    void nobodyReadWhatWasOld() {
        assertThat(questions).filteredOn(Asked::answered).as("answers").isNotEmpty();
        assertThat(questions)
                .filteredOn(Asked::answered)
                .allSatisfy(one -> assertThat(one.version()).isGreaterThanOrEqualTo(one.acknowledged()));
        watch.ended();
    }

    private void update(String text) {
        acknowledged = atomic.update(driver, rows(text, 0, 1));
    }

    /** Starts the reads from this server. */
    private void choose(boolean primary) {
        parted = primary ? atomic.primary(1) : atomic.follower(1);
        ask();
    }

    /** Separates the follower of the server's session. */
    private void part() {
        mapVersion = cluster.store.read(RegistryPaths.map(Cluster.T)).version();
        parted.registry().onSession(events::add);
        parted.registry().part(true);
    }

    private void ask() {
        questions.add(new Asked(acknowledged, atomic.asked(parted, 1, epoch, 0)));
        cluster.loop.after(PAUSE_NANOS, this::ask);
    }

    private ReadGate gate() {
        return parted.gates.getOrDefault(cluster.key(1), new ReadGate(1, 0, false, 0, 0));
    }

    private boolean leaseRuns() {
        return gate().leaseUntilNanos() - cluster.loop.nanos() > 0;
    }

    private long answers() {
        return questions.stream().filter(Asked::answered).count();
    }

    private boolean inSync() {
        return cluster.actor(1).isr().contains(id());
    }

    private ServerId id() {
        return new ServerId(parted.address().host());
    }

    /** Its session has reported no event, its reads return the old map, and it believes to be in sync. */
    private void believesItselfConnected() {
        List<Outcome<Versioned>> read = new ArrayList<>();
        parted.registry().read(RegistryPaths.map(Cluster.T), read::add);
        cluster.await(() -> !read.isEmpty(), 1);
        assertThat(read.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((Versioned) ok.value()).version()).isEqualTo(mapVersion));
        assertThat(events).isEmpty();
        assertThat(gate().serving()).isTrue();
        assertThat(gate().epoch()).isEqualTo(epoch);
    }

    private boolean confirmsTheLog(List<Op> ops) {
        return ops.size() == 1
                && ops.get(0) instanceof Op.Check check
                && check.path().equals(atomic.logPath());
    }

    /** The server connects to another follower, with a new session if the ensemble has expired the old one. */
    private void heal(boolean expired) {
        cluster.network.lose((to, request) -> false);
        parted.registry().part(false);
        if (expired) {
            parted.registry().expire();
        }
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
    }

    /** All other servers reach it, so updates that need no registry continue with it. It may not answer without them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsLeaseEndsThoughItsSessionLives(boolean primary) {
        update("a");
        choose(primary);
        part();
        update("b");
        cluster.await(() -> questions.stream().anyMatch(one -> one.answered() && one.version() == 2), 1);
        assertThat(leaseRuns()).isTrue();
        cluster.await(() -> !leaseRuns(), 2);
        long before = answers();
        AtomicCluster.Answer last = atomic.ask(parted, 1, 0);
        assertThat(last.error()).contains(ErrorCode.LEASE_EXPIRED);
        believesItselfConnected();
        assertThat(inSync()).isTrue();
        update("c");
        assertThat(atomic.readAlike(0, 1)).as("of the others").isEqualTo("1=a,2=b," + acknowledged + "=c");
        parted.registry().expireUnnoticed(); // ZooKeeper has expired the session and cannot tell it
        cluster.await(() -> !inSync(), 30);
        update("d");
        believesItselfConnected();
        assertThat(answers()).as("none without a lease").isEqualTo(before);
        String all = atomic.readAlike(0, 1);
        assertThat(all).endsWith("," + acknowledged + "=d");
        heal(true);
        atomic.awaitRows(1, all.split(","));
    }

    private boolean takesItOff(List<Op> ops) {
        return ops.stream()
                .anyMatch(op -> op instanceof Op.Set set
                        && set.value() instanceof TableMap map
                        && !map.actors().get(1).isr().contains(id()));
    }

    /** Other servers cannot reach it either. It is separated just before its removal, so it does not get the new map. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatItDoesNotKnowIsNotCommittedWhileItsLeaseRuns(boolean primary) {
        update("a");
        choose(primary);
        cluster.coordinatorRegistry.hold(this::takesItOff);
        cluster.network.lose((to, request) -> to.equals(parted.address()));
        List<Outcome<UpdateReply>> update = atomic.send(driver, cluster.nextId(), 1, rows("b", 0, 1));
        cluster.await(() -> cluster.coordinatorRegistry.holding() > 0, 10);
        part();
        cluster.coordinatorRegistry.release();
        cluster.await(() -> !inSync(), 10);
        assertThat(leaseRuns()).isTrue();
        assertThat(atomic.ask(parted, 1, 0).error())
                .as("a client with the new epoch gets an error from the server without it")
                .contains(ErrorCode.STALE_EPOCH);
        long before = answers();
        cluster.await(() -> answers() > before, 1); // one with an old map gets an answer
        assertThat(update).isEmpty();
        assertThat(atomic.log().committedVersion()).isEqualTo(1);
        believesItselfConnected();
        cluster.await(() -> atomic.log().committedVersion() > 1, 30);
        assertThat(leaseRuns()).as("when others could see the update").isFalse();
        acknowledged = atomic.version(update);
        believesItselfConnected();
        List<AtomicCluster.Answer> now = atomic.asked(parted, 1, epoch, 0);
        cluster.await(() -> !now.isEmpty(), 1);
        assertThat(now.get(0).error()).contains(ErrorCode.LEASE_EXPIRED);
        heal(false);
        atomic.awaitRows(1, "1=a", acknowledged + "=b");
    }

    /** It has a prepared update that others commit and read, and its own read of the log still shows the update in flight. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatItIsInDoubtAboutIsNotLeftOut(boolean primary) {
        update("a");
        choose(primary);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> update = atomic.send(driver, cluster.nextId(), 1, rows("b", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(2, 1);
        part();
        cluster.network.lose((to, request) -> to.equals(parted.address()));
        driver.registry().release();
        acknowledged = atomic.version(update);
        assertThat(acknowledged).isEqualTo(2);
        List<AtomicCluster.Answer> asked = atomic.asked(parted, 1, epoch, 0);
        cluster.await(() -> parted.registry().unanswered(this::confirmsTheLog) > 0, 1);
        assertThat(atomic.doubt(parted, 1)).isEqualTo(2);
        assertThat(leaseRuns()).isTrue();
        believesItselfConnected();
        assertThat(atomic.reader().read(0, 1).values()).as("of others").containsEntry(1, "1=a,2=b");
        cluster.await(() -> !leaseRuns(), 2);
        assertThat(asked).as("no confirmation as in flight").isEmpty();
        heal(false);
        cluster.await(() -> !asked.isEmpty(), 5);
        atomic.awaitRows(1, "1=a", "2=b");
    }
}
