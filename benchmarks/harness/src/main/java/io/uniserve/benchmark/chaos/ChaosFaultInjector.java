package io.uniserve.benchmark.chaos;

import io.uniserve.client.Admin;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.env.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Fault injector: it draws faults by a seed, starts and ends them, and counts them. The same seed draws the same faults with the same
 * victims, but the behaviour of victims is not deterministic. Not thread-safe.
 */
final class ChaosFaultInjector {
    private static final Duration ADMIN = Duration.ofSeconds(5);
    private static final int AT_ONCE_MAX = 3;
    private static final long LOOK_MS = 50;
    private static final double SECOND = 1e9;

    /** Kinds of faults, with their relative frequency. */
    private enum Kind {
        KILL_SERVER(5),
        PAUSE_SERVER(4),
        CUT_SERVERS(3),
        CUT_SERVERS_ONE_WAY(3),
        SLOW_SERVERS(2),
        ISOLATE_SERVER(2),
        CUT_SERVER_ZOOKEEPER(3),
        CUT_CLIENTS_SERVER(3),
        KILL_ZOOKEEPER(2),
        PAUSE_ZOOKEEPER(1),
        KILL_COORDINATOR(2),
        PAUSE_COORDINATOR(1),
        FULL_DISK(2),
        MOVE(3),
        DRAIN(2);

        private final int weight;

        Kind(int weight) {
            this.weight = weight;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private record End(long nanos, String what, TreeSet<String> victims, Runnable action) {}

    private final ChaosCluster cluster;
    private final Clock clock;
    private final UniserveClient client;
    private final ChaosWorkload load;
    private final Consumer<String> log;
    private final SplittableRandom random;
    private final long startNanos;
    private final PriorityQueue<End> ends = new PriorityQueue<>(Comparator.comparingLong(End::nanos));
    private final TreeSet<String> busy = new TreeSet<>();
    private final TreeSet<String> drained = new TreeSet<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** @param said receives a line for the start and end of every fault */
    ChaosFaultInjector(
            ChaosCluster cluster,
            Clock clock,
            UniserveClient client,
            ChaosWorkload load,
            Consumer<String> said,
            long seed) {
        this.cluster = cluster;
        this.clock = clock;
        this.client = client;
        this.load = load;
        this.log = said;
        this.random = new SplittableRandom(seed);
        this.startNanos = clock.nanos();
    }

    /** Injects faults for this long; {@code tick} is called often meanwhile. Some faults may last longer. */
    void run(Duration duration, Runnable tick) throws InterruptedException {
        long endNanos = startNanos + duration.toNanos();
        long next = startNanos;
        CountDownLatch never = new CountDownLatch(1);
        while (clock.nanos() < endNanos) {
            tick.run();
            endDue(clock.nanos());
            if (clock.nanos() >= next) {
                if (ends.size() < AT_ONCE_MAX) {
                    begin(draw());
                }
                next = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(random.nextLong(700, 3_500));
            }
            never.await(LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Ends every fault and heals the cluster. Returns when all processes serve. */
    void endAll() throws InterruptedException {
        endDue(Long.MAX_VALUE);
        logFault("all faults end");
        cluster.healAll();
        CountDownLatch never = new CountDownLatch(1);
        while (!drained.isEmpty()) {
            String id = drained.first();
            try {
                admin().undrainServer(id);
                drained.remove(id);
            } catch (UniserveException e) {
                logFault("drain not ended yet: " + id + ": " + e.code());
                never.await(1, TimeUnit.SECONDS);
            }
        }
    }

    /** Returns the number of faults by kind. */
    Map<String, Integer> counts() {
        return new TreeMap<>(counts);
    }

    private void endDue(long now) {
        while (!ends.isEmpty() && ends.peek().nanos() <= now) {
            End end = ends.remove();
            end.action().run();
            busy.removeAll(end.victims());
            logFault("ends " + end.what());
        }
    }

    private void logFault(String what) {
        log.accept(String.format(Locale.ROOT, "%8.1f s  %s", (clock.nanos() - startNanos) / SECOND, what));
        load.nemesis("fault", Map.of("what", what));
    }

    private Kind draw() {
        int sum = 0;
        for (Kind kind : Kind.values()) {
            sum += kind.weight;
        }
        int at = random.nextInt(sum);
        for (Kind kind : Kind.values()) {
            at -= kind.weight;
            if (at < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("weights");
    }

    private String pick(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    private void begin(Kind kind) {
        String server = pick(cluster.servers());
        String other = pick(cluster.servers());
        String zookeeper = pick(ChaosCluster.zookeepers());
        String coordinator = pick(ChaosCluster.coordinators());
        switch (kind) {
            case KILL_SERVER -> kill(kind, server);
            case KILL_ZOOKEEPER -> kill(kind, zookeeper);
            case KILL_COORDINATOR -> kill(kind, coordinator);
            case PAUSE_SERVER -> pause(kind, server);
            case PAUSE_ZOOKEEPER -> pause(kind, zookeeper);
            case PAUSE_COORDINATOR -> pause(kind, coordinator);
            case CUT_SERVERS -> partition(kind, server, List.of(other), true);
            case CUT_SERVERS_ONE_WAY -> partition(kind, server, List.of(other), false);
            case CUT_SERVER_ZOOKEEPER -> partition(kind, server, ChaosCluster.zookeepers(), true);
            case CUT_CLIENTS_SERVER -> partition(kind, server, List.of(ChaosCluster.CLIENTS), true);
            case ISOLATE_SERVER -> {
                List<String> all = new ArrayList<>(cluster.servers());
                all.addAll(ChaosCluster.zookeepers());
                all.addAll(ChaosCluster.coordinators());
                partition(kind, server, all, true); // clients still reach it: it must not give stale answers
            }
            case SLOW_SERVERS -> slow(kind, server, other);
            case FULL_DISK -> fill(kind);
            case MOVE -> move(kind);
            case DRAIN -> drain(kind);
        }
    }

    /** Records the fault and plans its end. Returns false if a victim has another fault. */
    private boolean schedule(Kind kind, TreeSet<String> victims, long minMs, long maxMs, String what, Runnable end) {
        for (String victim : victims) {
            if (busy.contains(victim)) {
                return false;
            }
        }
        long millis = random.nextLong(minMs, maxMs);
        busy.addAll(victims);
        counts.merge(kind.label(), 1, Integer::sum);
        String whole = kind.label() + " " + what;
        logFault(whole + ", for " + millis + " ms");
        ends.add(new End(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), whole, victims, end));
        return true;
    }

    private static TreeSet<String> set(String... names) {
        return new TreeSet<>(List.of(names));
    }

    private void kill(Kind kind, String name) {
        if (schedule(kind, set(name), 200, 6_000, name, () -> cluster.launch(name))) {
            cluster.daemon(name).kill();
        }
    }

    private void pause(Kind kind, String name) {
        if (cluster.daemon(name).isAlive()
                && schedule(
                        kind,
                        set(name),
                        200,
                        9_000,
                        name,
                        () -> cluster.daemon(name).resume())) {
            cluster.daemon(name).pause();
        }
    }

    private void partition(Kind kind, String server, List<String> others, boolean bothWays) {
        List<String> far = others.stream().filter(name -> !name.equals(server)).toList();
        LinkFaultInjector linkFaultInjector = cluster.links();
        Runnable end = () -> far.forEach(name -> {
            linkFaultInjector.heal(server, name);
            if (bothWays) {
                linkFaultInjector.heal(name, server);
            }
        });
        String what = server + (bothWays ? " from " : " to ") + String.join(",", far);
        if (!far.isEmpty() && schedule(kind, new TreeSet<>(), 500, 9_000, what, end)) {
            far.forEach(name -> {
                linkFaultInjector.partition(server, name);
                if (bothWays) {
                    linkFaultInjector.partition(name, server);
                }
            });
        }
    }

    private void slow(Kind kind, String server, String other) {
        LinkFaultInjector linkFaultInjector = cluster.links();
        int millis = random.nextInt(20, 400);
        Runnable end = () -> {
            linkFaultInjector.delay(server, other, 0);
            linkFaultInjector.delay(other, server, 0);
        };
        if (!server.equals(other)
                && schedule(
                        kind,
                        set("slow " + server, "slow " + other),
                        1_000,
                        9_000,
                        server + " and " + other + " by " + millis + " ms",
                        end)) {
            linkFaultInjector.delay(server, other, millis);
            linkFaultInjector.delay(other, server, millis);
        }
    }

    private void fill(Kind kind) {
        String server = cluster.diskServer();
        DiskFiller disk = cluster.disk();
        if (disk.means() != DiskFiller.Means.NONE
                && cluster.daemon(server).isAlive()
                && schedule(
                        kind,
                        set("disk"),
                        1_000,
                        8_000,
                        server + " by " + disk.means().label(),
                        () -> disk.free(cluster.daemon(server).pid()))) {
            disk.fill(cluster.daemon(server).pid());
        }
    }

    private Admin admin() {
        return client.admin().deadline(ADMIN);
    }

    private void move(Kind kind) {
        String table = random.nextBoolean() ? ChaosOptions.EVENTUAL : ChaosOptions.ATOMIC;
        int actor = random.nextInt(ChaosOptions.ACTORS);
        int from = random.nextInt(ChaosOptions.REPLICAS);
        int to = random.nextInt(cluster.servers().size());
        try {
            ActorState state = admin().describeTable(table).map().actors().get(actor);
            List<ServerId> free = client.routing().servers().stream()
                    .map(ServerRecord::id)
                    .filter(id -> !state.hasReplicaOn(id))
                    .toList();
            if (free.isEmpty() || from >= state.isr().size()) {
                return;
            }
            ServerId source = state.isr().get(from);
            ServerId target = free.get(to % free.size());
            admin().moveReplica(table, actor, source.value(), target.value());
            counts.merge(kind.label(), 1, Integer::sum);
            logFault(kind.label() + " " + table + "/" + actor + " from " + source + " to " + target);
        } catch (UniserveException e) {
            logFault("a move of " + table + "/" + actor + " was refused: " + e.code());
        }
    }

    private void drain(Kind kind) {
        int which = random.nextInt(cluster.servers().size());
        List<ServerRecord> live = client.routing().servers();
        if (!drained.isEmpty() || live.size() < cluster.servers().size()) {
            return;
        }
        String id = live.get(which % live.size()).id().value();
        if (schedule(kind, set("drain"), 2_000, 12_000, "server " + id, () -> undrain(id))) {
            drained.add(id);
            try {
                admin().drainServer(id);
            } catch (UniserveException e) {
                logFault("the drain was refused: " + e.code());
            }
        }
    }

    private void undrain(String id) {
        try {
            admin().undrainServer(id);
            drained.remove(id);
        } catch (UniserveException e) {
            logFault("the drain ends with the run instead: " + e.code());
        }
    }
}
