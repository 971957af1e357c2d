package io.uniserve.protocol.transaction.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Snapshots of tables under steady writes, over a follower of the registry that lags, with sessions that expire. */
class ConsistentSnapshotReaderTest {
    private static final long MICRO = 1_000;
    private static final List<TableName> EIGHT =
            IntStream.range(0, 8).mapToObj(i -> new TableName("t" + i)).toList();

    private final TestingLoop loop = new TestingLoop();
    private final TestingStore store = new TestingStore();
    private final TestingRegistry registry = new TestingRegistry(loop, store);
    private final ConsistentSnapshotReader desk =
            new ConsistentSnapshotReader(loop, registry, ConsistentSnapshotReaderTest::atOnce);
    private final List<Outcome<ConsistentSnapshot>> outcomes = new ArrayList<>();
    private boolean stopped;

    ConsistentSnapshotReaderTest() {
        registry.onSession(desk::onSession);
        create(RegistryPaths.TERM, new TermRecord("c1"));
    }

    private static void atOnce(long tableId, long version, Runnable then) {
        then.run();
    }

    private void create(String path, RegistryValue value) {
        store.multi("test", List.of(new Registry.Op.Create(path, value, false)));
    }

    private void createAll(List<TableName> tables) {
        tables.forEach(table -> {
            create(RegistryPaths.log(table, 7), TransactionLogState.empty(7));
            create(RegistryPaths.map(table), map(table, 1));
        });
    }

    private static TableMap map(TableName table, long epoch) {
        ServerId s1 = new ServerId("s1");
        return new TableMap(
                table,
                7,
                List.of(new ActorState(0, epoch, s1, List.of(s1), List.of(), List.of(), List.of(s1), Map.of(), 0)));
    }

    private void set(String path, RegistryValue value) {
        store.multi(
                "test",
                List.of(new Registry.Op.Set(path, value, store.read(path).version())));
    }

    private long version(TableName table) {
        return store.value(RegistryPaths.log(table, 7)) instanceof TransactionLogState log
                ? log.committedVersion()
                : -1;
    }

    /** Commits a version by one write, after another write that starts it. */
    private void update(TableName table) {
        begin(table);
        long next = version(table) + 1;
        set(RegistryPaths.log(table, 7), new TransactionLogState(7, next, next + 1, null, List.of(), 0));
    }

    private void begin(TableName table) {
        long last = version(table);
        TransactionLogState.InFlight flight =
                new TransactionLogState.InFlight(last + 1, new ServerId("s1"), List.of(0), List.of(), 1);
        set(RegistryPaths.log(table, 7), new TransactionLogState(7, last, last + 2, flight, List.of(), 0));
    }

    /** Repeats the task at this interval. */
    private void every(long nanos, Runnable task) {
        loop.after(nanos, () -> {
            if (!stopped) {
                task.run();
                every(nanos, task);
            }
        });
    }

    private ConsistentSnapshot cut(List<TableName> tables) {
        Outcome<ConsistentSnapshot> outcome = ask(tables);
        if (outcome instanceof Outcome.Ok<ConsistentSnapshot> ok) {
            return ok.value();
        }
        throw new AssertionError("no moment: " + outcome);
    }

    private Outcome<ConsistentSnapshot> ask(List<TableName> tables) {
        outcomes.clear();
        desk.readConsistentCut(tables, outcomes::add);
        assertThat(loop.runUntil(() -> !outcomes.isEmpty(), 10_000_000_000L)).isTrue();
        return outcomes.get(0);
    }

    private static List<Long> versions(ConsistentSnapshot consistentCut) {
        return consistentCut.tables().stream()
                .map(ConsistentSnapshot.Table::version)
                .toList();
    }

    private ErrorCode error(List<TableName> tables) {
        return ((Outcome.Err<ConsistentSnapshot>) ask(tables)).error().code();
    }

    @Test
    void versionsInFlightDoNotMatter() {
        createAll(EIGHT);
        EIGHT.forEach(this::update);
        every(MICRO / 4, () -> EIGHT.forEach(this::begin));
        assertThat(versions(cut(EIGHT))).containsOnly(1L);
        assertThat(registry.reads(RegistryPaths.log(EIGHT.get(0), 7))).isEqualTo(2);
    }

    /** Commits come as fast as readings, except for a gap now and then; later they never stop. */
    @Test
    void eightBusyTablesAreCutBetweenTwoCommits() {
        createAll(EIGHT);
        int[] turn = {0};
        every(MICRO / 2, () -> {
            if (turn[0]++ % 40 < 30) {
                update(EIGHT.get(turn[0] % EIGHT.size()));
            }
        });
        for (int i = 0; i < 50; i++) {
            List<Long> before = EIGHT.stream().map(this::version).toList();
            int looked = registry.reads(RegistryPaths.log(EIGHT.get(0), 7));
            List<Long> seen = versions(cut(EIGHT));
            for (int table = 0; table < EIGHT.size(); table++) {
                assertThat(seen.get(table)).isGreaterThanOrEqualTo(before.get(table));
            }
            assertThat(registry.reads(RegistryPaths.log(EIGHT.get(0), 7)) - looked)
                    .as("looks")
                    .isLessThanOrEqualTo(25);
        }
        stopped = true;
        loop.run(10 * MICRO);
        stopped = false;
        every(MICRO / 2, () -> EIGHT.forEach(this::update));
        assertThat(error(EIGHT)).as("no stable reading").isEqualTo(ErrorCode.UNAVAILABLE);
    }

    /** It is created between the read of its log and that of its map, and dropped before the next reading. */
    @Test
    void aTableThatIsMadeAnewAllTheTimeIsNeverTakenForAnother() {
        TableName table = EIGHT.get(0);
        long[] number = {1};
        boolean[] there = {false};
        ConsistentSnapshotReader torn = new ConsistentSnapshotReader(
                loop,
                new Torn(registry, () -> {
                    there[0] = !there[0];
                    String log = RegistryPaths.log(table, there[0] ? number[0] : number[0] - 1);
                    String map = RegistryPaths.map(table);
                    if (there[0]) {
                        create(log, TransactionLogState.empty(number[0]));
                        create(
                                map,
                                new TableMap(table, number[0]++, map(table, 1).actors()));
                    } else {
                        store.multi("test", List.of(new Registry.Op.Delete(log, 0), new Registry.Op.Delete(map, 0)));
                    }
                }),
                ConsistentSnapshotReaderTest::atOnce);
        for (int i = 0; i < 20; i++) {
            outcomes.clear();
            torn.readConsistentCut(List.of(table), outcomes::add);
            assertThat(loop.runUntil(() -> !outcomes.isEmpty(), 10_000_000_000L))
                    .isTrue();
            assertThat(outcomes.get(0)).isInstanceOf(Outcome.Err.class);
            assertThat(((Outcome.Err<ConsistentSnapshot>) outcomes.get(0))
                            .error()
                            .code())
                    .as("it has versions whenever it is there")
                    .isNotEqualTo(ErrorCode.UNSUPPORTED);
        }
    }

    /** Registry that runs a task after each read of a log or map. */
    private record Torn(Registry registry, Runnable then) implements Registry {
        @Override
        public void read(String path, Completion<Versioned> completion) {
            registry.read(path, outcome -> {
                completion.done(outcome);
                if (RegistryPaths.isLog(path) || path.endsWith("/map")) {
                    then.run();
                }
            });
        }

        @Override
        public void children(String path, Completion<List<String>> completion) {
            registry.children(path, completion);
        }

        @Override
        public void multi(List<Op> ops, Completion<MultiResult> completion) {
            registry.multi(ops, completion);
        }

        @Override
        public void sync(Completion<Done> completion) {
            registry.sync(completion);
        }

        @Override
        public void watch(String path, Runnable changed) {
            registry.watch(path, changed);
        }

        @Override
        public void unwatch(String path) {
            registry.unwatch(path);
        }

        @Override
        public void onSession(SessionListener listener) {
            registry.onSession(listener);
        }
    }

    @Test
    void nobodyLooksForLongerThanSomebodyWaits() {
        createAll(EIGHT);
        loop.uneven(1, 200_000_000);
        every(1_000_000, () -> EIGHT.forEach(this::update));
        long began = loop.nanos();
        assertThat(error(EIGHT)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(loop.nanos() - began).isBetween(1_900_000_000L, 3_000_000_000L);
        int reads = registry.reads(RegistryPaths.log(EIGHT.get(0), 7));
        loop.run(3_000_000_000L);
        assertThat(registry.reads(RegistryPaths.log(EIGHT.get(0), 7))).isEqualTo(reads);
    }

    @Test
    void anotherEpochIsAnotherMoment() {
        createAll(EIGHT);
        registry.hold(ops -> true);
        desk.readConsistentCut(EIGHT, outcomes::add);
        loop.run(10 * MICRO);
        set(RegistryPaths.map(EIGHT.get(3)), map(EIGHT.get(3), 2));
        registry.release();
        assertThat(loop.runUntil(() -> !outcomes.isEmpty(), 1_000 * MICRO)).isTrue();
        ConsistentSnapshot consistentCut = ((Outcome.Ok<ConsistentSnapshot>) outcomes.get(0)).value();
        assertThat(consistentCut.tables().get(3).epochs()).containsExactly(2L);
        assertThat(consistentCut.tables().get(4).epochs()).containsExactly(1L);
    }

    @Test
    void anotherCoordinatorIsLookedForAgain() {
        createAll(EIGHT);
        registry.lag();
        set(RegistryPaths.TERM, new TermRecord("c2"));
        update(EIGHT.get(0));
        assertThat(versions(cut(EIGHT)).get(0)).isEqualTo(1);
    }

    @Test
    void whatIsNotThereIsToldAsOfTheMoment() {
        registry.lag();
        createAll(EIGHT);
        assertThat(versions(cut(EIGHT))).containsOnly(0L);
        assertThat(error(List.of(EIGHT.get(0), new TableName("none")))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        create(RegistryPaths.map(new TableName("loose")), map(new TableName("loose"), 1));
        assertThat(error(List.of(new TableName("loose")))).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(cut(List.of()).tables()).isEmpty();
    }

    @Test
    void aRegistryThatFailsIsToldOnce() {
        createAll(EIGHT);
        registry.cut(true);
        assertThat(error(EIGHT)).isEqualTo(ErrorCode.UNAVAILABLE);
        registry.cut(false);
        registry.loseNextAnswer();
        assertThat(error(EIGHT)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        loop.run(1_000 * MICRO);
        assertThat(outcomes).hasSize(1);
    }

    /**
     * At every moment the first table has as many versions as the second, or one more. Followers lag, reads and writes take time, and
     * sessions expire; the next one may have an older state.
     */
    @Test
    void momentsAreRealAndAfterTheQuestion() {
        TableName orders = EIGHT.get(0);
        TableName payments = EIGHT.get(1);
        int found = 0;
        int ended = 0;
        for (int seed = 0; seed < 300; seed++) {
            History history = new History(seed, orders, payments);
            found += history.run();
            ended += history.sessions;
        }
        assertThat(found).as("moments").isGreaterThan(2_000);
        assertThat(ended).as("sessions that ended").isGreaterThan(500);
    }

    /** Session with a follower that goes through the states of the registry one by one, at random times. */
    private static final class History implements Registry {
        private final TestingLoop loop = new TestingLoop();
        private final Random random;
        private final TableName orders;
        private final TableName payments;
        private final List<long[]> states = new ArrayList<>(List.of(new long[] {0, 0}));
        private final AtomicLong order = new AtomicLong();
        private final ConsistentSnapshotReader desk =
                new ConsistentSnapshotReader(loop, this, ConsistentSnapshotReaderTest::atOnce);
        private int view;
        private int sessions;
        private boolean over;

        private History(int seed, TableName orders, TableName payments) {
            random = new Random(seed);
            this.orders = orders;
            this.payments = payments;
        }

        private int run() {
            int[] found = {0};
            write();
            end();
            for (int i = 0; i < 20; i++) {
                boolean[] heard = {false};
                int asked = states.size() - 1;
                List<TableName> tables = random.nextBoolean() ? List.of(orders, payments) : List.of(payments, orders);
                desk.readConsistentCut(tables, outcome -> {
                    heard[0] = true;
                    if (outcome instanceof Outcome.Ok<ConsistentSnapshot> ok) {
                        found[0]++;
                        judge(ok.value(), asked);
                    }
                });
                assertThat(loop.runUntil(() -> heard[0], 1_000_000_000L)).isTrue();
            }
            over = true;
            return found[0];
        }

        private void judge(ConsistentSnapshot consistentCut, int asked) {
            long[] seen = new long[2];
            consistentCut.tables().forEach(table -> seen[table.name().equals(orders) ? 0 : 1] = table.version());
            assertThat(states.subList(asked, states.size()).stream().anyMatch(state -> Arrays.equals(state, seen)))
                    .as("%s orders and %s payments is a state since the question", seen[0], seen[1])
                    .isTrue();
        }

        private void write() {
            loop.after(random.nextInt(20) == 0 ? 60 * MICRO : random.nextLong(8 * MICRO), () -> {
                long[] last = states.get(states.size() - 1);
                states.add(last[0] == last[1] ? new long[] {last[0] + 1, last[1]} : new long[] {last[0], last[1] + 1});
                if (!over) {
                    write();
                }
            });
        }

        /** Expires sessions now and then. The follower of the new one may be far behind. */
        private void end() {
            loop.after(random.nextLong(100 * MICRO), () -> {
                if (!over) {
                    sessions++;
                    desk.onSession(SessionEvent.EXPIRED);
                    view = random.nextInt(view + 1);
                    end();
                }
            });
        }

        private void inOrder(Runnable task) {
            long at = Math.max(order.get(), loop.nanos() + random.nextLong(3 * MICRO));
            order.set(at);
            loop.after(at - loop.nanos(), task);
        }

        @Override
        public void read(String path, Completion<Versioned> completion) {
            inOrder(() -> {
                view += random.nextInt(states.size() - view);
                long[] state = states.get(view);
                completion.done(Outcome.ok(
                        path.equals(RegistryPaths.TERM) ? new Versioned(new TermRecord("c1"), 1) : value(path, state)));
            });
        }

        private Versioned value(String path, long[] state) {
            TableName table = path.startsWith(RegistryPaths.table(orders)) ? orders : payments;
            long version = state[table.equals(orders) ? 0 : 1];
            if (path.equals(RegistryPaths.log(table, 0))) {
                return new Versioned(null, ABSENT); // its number was not known
            }
            return RegistryPaths.isLog(path)
                    ? new Versioned(new TransactionLogState(7, version, version + 1, null, List.of(), 0), (int) version)
                    : new Versioned(map(table, 1), 1);
        }

        @Override
        public void multi(List<Op> ops, Completion<MultiResult> completion) {
            inOrder(() -> {
                view = states.size() - 1;
                completion.done(Outcome.ok(new MultiResult(true, List.of(ABSENT), -1)));
            });
        }

        @Override
        public void sync(Completion<Done> completion) {
            inOrder(() -> completion.done(Outcome.ok(Done.DONE)));
        }

        @Override
        public void children(String path, Completion<List<String>> completion) {
            throw new UnsupportedOperationException("children of " + path);
        }

        @Override
        public void watch(String path, Runnable changed) {
            throw new UnsupportedOperationException("watch of " + path);
        }

        @Override
        public void unwatch(String path) {
            throw new UnsupportedOperationException("watch of " + path);
        }

        @Override
        public void onSession(SessionListener listener) {
            throw new UnsupportedOperationException("the desk is told");
        }
    }

    private static TableMap chunks(TableName table, int expiredBefore, long generation, int... actors) {
        ServerId s1 = new ServerId("s1");
        List<ActorState> states = Arrays.stream(actors)
                .mapToObj(actor ->
                        new ActorState(actor, 3, s1, List.of(s1), List.of(), List.of(), List.of(s1), Map.of(), 0))
                .toList();
        return new TableMap(table, 7, states, expiredBefore, generation);
    }

    private ConsistentSnapshot.Table snapshotOf(TableName table) {
        outcomes.clear();
        desk.readConsistentCut(List.of(table), outcomes::add);
        loop.runUntil(() -> !outcomes.isEmpty(), 10_000_000_000L);
        return outcomes.get(0).value().tables().get(0);
    }

    @Test
    void epochsOfChunksAreByActorNumber() {
        TableName table = new TableName("t0");
        create(RegistryPaths.log(table, 7), TransactionLogState.empty(7));
        create(RegistryPaths.map(table), chunks(table, 0, 0));
        assertThat(snapshotOf(table).actors()).isEmpty();
        assertThat(snapshotOf(table).isOfChunks()).isTrue();
        set(RegistryPaths.map(table), chunks(table, 0, 2, 10, 11, 14));
        ConsistentSnapshot.Table three = snapshotOf(table);
        assertThat(three.actors()).containsExactly(10, 11, 14);
        assertThat(three.generation()).isEqualTo(2);
        assertThat(three.epoch(14)).hasValue(3);
        assertThat(three.has(12)).isFalse();
        set(RegistryPaths.map(table), chunks(table, 14, 2, 14));
        assertThat(snapshotOf(table).actors()).containsExactly(14);
    }

    /** One chunk expires and another is made between the readings: as many actors as before, with the same epochs. */
    @Test
    void readingsWithOtherActorsAreNotEqual() {
        TableName table = new TableName("t0");
        create(RegistryPaths.log(table, 7), TransactionLogState.empty(7));
        create(RegistryPaths.map(table), chunks(table, 0, 1, 10));
        desk.readConsistentCut(List.of(table), outcomes::add);
        registry.hold(ops -> true); // between the first reading and the second
        loop.runUntil(() -> registry.holding() > 0, 10_000_000_000L);
        set(RegistryPaths.map(table), chunks(table, 11, 2, 12));
        registry.release();
        loop.runUntil(() -> !outcomes.isEmpty(), 10_000_000_000L);
        assertThat(outcomes.get(0).value().tables().get(0).actors()).containsExactly(12);
    }
}
