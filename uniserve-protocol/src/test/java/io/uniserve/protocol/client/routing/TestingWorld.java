package io.uniserve.protocol.client.routing;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.client.update.TestingClientNetwork;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Virtual time with timers that fire when the test advances it, and a routing that the test changes. */
public final class TestingWorld implements Clock, Timers, RoutingView {
    /** Wall clock at virtual time 0, in milliseconds since 1970; tests may change it. */
    public long wallStartMillis = 1_700_000_000_000L;

    public static final TableName TABLE = new TableName("t");
    public static final long TABLE_ID = 7;
    public static final long MS = 1_000_000;

    public final TestingClientNetwork network = new TestingClientNetwork();
    public final List<Completion<RouteIndex>> refreshes = new ArrayList<>();
    public RequestSettings settings = RequestSettings.defaults();
    public RoutingPolicy policy = (candidates, random) -> 0;
    public ClientState state = ClientState.of(settings, policy);
    private final List<Alarm> alarms = new ArrayList<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private RouteIndex routing = RouteIndex.of(new Routing("c", List.of(), List.of(), null));
    private long now = 1_000 * MS;
    private long idCounter;
    private int rings;

    public ClientContext environment() {
        return new ClientContext(this, this, network, this, () -> ++idCounter, state);
    }

    public void settings(RequestSettings changed) {
        settings = changed;
        state = ClientState.of(changed, policy);
    }

    public static ServerId server(int number) {
        return new ServerId("s" + number);
    }

    static Address address(int server) {
        return new Address("host", 1000 + server);
    }

    /** An actor with its epoch and ISR; the first member is the primary. */
    public static ActorState actor(int actor, long epoch, int... isr) {
        List<ServerId> servers =
                Arrays.stream(isr).mapToObj(TestingWorld::server).toList();
        return new ActorState(actor, epoch, servers.get(0), servers, List.of(), List.of(), servers, Map.of(), 0);
    }

    /** Publishes a routing with servers 1 to {@code servers} and one table of these actors. */
    public void route(int servers, ActorState... actors) {
        List<Integer> live = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            live.add(i);
        }
        routeLive(live, TABLE_ID, actors);
    }

    /** Publishes a routing with one server and a TIME table of days, a chunk per actor. */
    public void routeTime(long generation, int expiredBefore, ActorState... actors) {
        routeLive(
                List.of(1),
                TABLE_ID,
                new Partitioner.Time(
                        "ts",
                        new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
                        1,
                        Optional.empty(),
                        IsoPeriod.parse("ahead", "P1D")),
                new TableMap(TABLE, TABLE_ID, List.of(actors), expiredBefore, generation));
    }

    public void routeLive(List<Integer> live, long tableId, ActorState... actors) {
        routeLive(live, tableId, new Partitioner.Hash(actors.length), new TableMap(TABLE, tableId, List.of(actors)));
    }

    private void routeLive(List<Integer> live, long tableId, Partitioner partitioner, TableMap map) {
        List<ServerRecord> servers = live.stream()
                .map(i -> new ServerRecord(
                        server(i),
                        1,
                        address(i),
                        "z",
                        new Capacity(1000, 1, 1),
                        List.of(new io.uniserve.model.PortInfo("kv", "1", java.util.Set.of(), List.of(), List.of()))))
                .toList();
        TableMeta meta = new TableMeta(
                TABLE, tableId, partitioner, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of());
        change(new Routing("c", List.of(new TableRoute(meta, map, 1)), servers, null));
    }

    public void change(Routing changed) {
        routing = RouteIndex.of(changed);
        List<Runnable> due = List.copyOf(watchers);
        watchers.clear();
        due.forEach(Runnable::run);
    }

    public void finishRefreshes() {
        List<Completion<RouteIndex>> due = List.copyOf(refreshes);
        refreshes.clear();
        due.forEach(completion -> completion.done(Outcome.ok(routing)));
    }

    public void failRefreshes() {
        List<Completion<RouteIndex>> due = List.copyOf(refreshes);
        refreshes.clear();
        due.forEach(
                completion -> completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no server"))));
    }

    /** Advances the time; timers fire in order. */
    public void pass(long nanos) {
        long end = now + nanos;
        while (true) {
            Alarm next =
                    alarms.stream().min(Comparator.comparingLong(Alarm::at)).orElse(null);
            if (next == null || next.at() > end) {
                now = end;
                return;
            }
            alarms.remove(next);
            rings++;
            now = Math.max(now, next.at());
            next.task().run();
        }
    }

    /** Number of timers that have fired. */
    public int rings() {
        return rings;
    }

    public int pendingTimers() {
        return alarms.size();
    }

    public int watcherCount() {
        return watchers.size();
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public long wallMillis() {
        return wallStartMillis + now / 1_000_000;
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        Alarm alarm = new Alarm(now + delayNanos, task);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    @Override
    public RouteIndex current() {
        return routing;
    }

    @Override
    public void refresh(Completion<RouteIndex> completion) {
        refreshes.add(completion);
    }

    @Override
    public Cancel onChange(Runnable changed) {
        watchers.add(changed);
        return () -> watchers.remove(changed);
    }

    private record Alarm(long at, Runnable task) {}
}
