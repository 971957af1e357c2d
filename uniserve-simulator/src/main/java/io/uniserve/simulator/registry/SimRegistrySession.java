package io.uniserve.simulator.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Twin of the ZooKeeper client of one process. It is connected to one follower, whose state may be old. Requests of a connection are
 * handled in order. When the connection breaks, requests under way end with an unknown outcome. The client reconnects unless the registry
 * is down or cannot be reached, and the session expires if that takes too long.
 */
public final class SimRegistrySession implements Registry {
    private static final long LATENCY_MIN_NANOS = 500_000;
    private static final long LATENCY_SPREAD_NANOS = 4_000_000;
    private static final long WATCH_DELAY_NANOS = 3_000_000_000L;
    private static final long ANSWER_DELAY_NANOS = 60_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final SimEnsemble ensemble;
    private final SimProcess process;
    private final int generation;
    private final Set<Request<?>> pendingRequests = new LinkedHashSet<>();
    private final Map<String, List<Runnable>> watches = new TreeMap<>();
    private final List<SessionListener> listeners = new ArrayList<>();
    private final SimSessionLink link;
    private int sessionNumber = 1;
    private int connection = 1;
    private boolean connected;
    private long viewZxid;
    private long arrivesNanos;
    private long answersNanos;
    private long viewNanos;

    /** Creates a session of the process's current start. Each start needs a new one. */
    public SimRegistrySession(
            EventQueue queue, Prng random, FaultIntensity faultIntensity, SimEnsemble ensemble, SimProcess process) {
        this.queue = queue;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.ensemble = ensemble;
        this.process = process;
        this.generation = process.generation();
        this.viewZxid = ensemble.zxid();
        this.link = new SimSessionLink(this, queue, random, ensemble);
        this.connected = ensemble.up();
        if (!connected) {
            link.connect();
        }
        ensemble.addListener(new SimEnsemble.Listener() {
            @Override
            public void onCommitted(String session, long zxid, List<SimEnsemble.Applied> applied, Set<String> changed) {
                followCommits(zxid, changed);
            }

            @Override
            public boolean isEnded() {
                return !running();
            }
        });
    }

    /** The session's name in the ensemble. */
    public String session() {
        return process.name() + "#" + generation + "." + sessionNumber;
    }

    boolean running() {
        return process.alive() && process.generation() == generation;
    }

    boolean frozen() {
        return process.paused();
    }

    boolean connected() {
        return connected;
    }

    /** The connection, for faults such as network partitions, pauses and expiry. */
    public SimSessionLink link() {
        return link;
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        request(completion, false, session -> ensemble.read(path, viewZxid));
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        request(completion, false, session -> ensemble.children(path, viewZxid));
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<Op> copy = List.copyOf(ops);
        request(completion, true, session -> {
            MultiResult result = ensemble.multi(session, copy);
            viewZxid = ensemble.zxid();
            return result;
        });
    }

    @Override
    public void sync(Completion<Done> completion) {
        request(completion, false, false, session -> {
            viewZxid = ensemble.zxid();
            return Done.DONE;
        });
    }

    @Override
    public void watch(String path, Runnable changed) {
        watches.computeIfAbsent(path, p -> new ArrayList<>()).add(changed);
    }

    @Override
    public void unwatch(String path) {
        watches.remove(path);
    }

    @Override
    public void onSession(SessionListener listener) {
        listeners.add(listener);
        if (connected) {
            process.post(latency(), () -> listener.onSessionEvent(SessionEvent.CONNECTED));
        }
    }

    private <T> void request(Completion<T> completion, boolean write, Function<String, T> action) {
        request(completion, write, !write, action);
    }

    /** @param local true if a follower answers from its own state */
    private <T> void request(Completion<T> completion, boolean write, boolean local, Function<String, T> action) {
        Request<T> request = new Request<>(process.begin(completion), write);
        if (!connected) {
            request.pending.complete(latency(), failure(ErrorCode.UNAVAILABLE, "registry is not connected"));
            return;
        }
        pendingRequests.add(request);
        boolean cutBefore = faultIntensity.draw(Fault.REGISTRY_CONNECTION_LOST);
        boolean cutAfter = write && faultIntensity.draw(Fault.REGISTRY_OUTCOME_UNKNOWN);
        boolean late = write && faultIntensity.draw(Fault.REGISTRY_ANSWER_LATE);
        int sentOn = connection;
        String session = session();
        arrivesNanos = Math.max(arrivesNanos, queue.now() + latency());
        queue.at(arrivesNanos, () -> {
            if (sentOn != connection || !link.isServing() || link.isPartitioned() && !local) {
                return;
            }
            if (cutBefore) {
                link.reset();
                return;
            }
            T result = action.apply(session);
            if (cutAfter) {
                link.reset();
                return;
            }
            answersNanos =
                    Math.max(answersNanos, queue.now() + latency() + (late ? random.below(ANSWER_DELAY_NANOS) : 0));
            queue.at(answersNanos, () -> complete(request, sentOn, result));
        });
    }

    private <T> void complete(Request<T> request, int sentOn, T result) {
        if (sentOn == connection) {
            pendingRequests.remove(request);
            request.pending.complete(0, Outcome.ok(result));
        }
    }

    /** Called when the client detects the loss of its connection. */
    void disconnected() {
        connection++;
        connected = false;
        List<Request<?>> lost = List.copyOf(pendingRequests);
        pendingRequests.clear();
        lost.forEach(this::fail);
        notifyListeners(SessionEvent.SUSPENDED);
    }

    private <T> void fail(Request<T> request) {
        ErrorCode code = request.write ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.UNAVAILABLE;
        request.pending.complete(latency(), failure(code, "registry connection was lost"));
    }

    /** Called when the client has a new connection. The follower's state is not older than any state that the client has seen. */
    void reconnected(boolean expired) {
        connected = true;
        viewZxid = random.between(viewZxid, ensemble.zxid());
        if (expired) {
            sessionNumber++;
            viewZxid = ensemble.zxid();
            watches.clear();
            notifyListeners(SessionEvent.EXPIRED);
        }
        notifyListeners(SessionEvent.CONNECTED);
        List.copyOf(watches.values()).forEach(tasks -> tasks.forEach(this::runLater));
        followCommits(ensemble.zxid(), Set.of());
    }

    private void followCommits(long zxid, Set<String> changed) {
        if (!running()) {
            return;
        }
        viewNanos = Math.max(viewNanos, queue.now() + latency());
        int on = connection;
        queue.at(viewNanos, () -> {
            if (on == connection && connected && link.isServing() && !link.isPartitioned()) {
                viewZxid = Math.max(viewZxid, zxid);
                changed.forEach(path -> watches.getOrDefault(path, List.of()).forEach(this::runLater));
            }
        });
    }

    private void runLater(Runnable task) {
        process.post(
                latency() + (faultIntensity.draw(Fault.WATCH_DELAYED) ? random.below(WATCH_DELAY_NANOS) : 0),
                () -> task.run());
    }

    private void notifyListeners(SessionEvent event) {
        process.post(0, () -> listeners.forEach(listener -> listener.onSessionEvent(event)));
    }

    private long latency() {
        return LATENCY_MIN_NANOS + random.below(LATENCY_SPREAD_NANOS);
    }

    private static <T> Outcome<T> failure(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private record Request<T>(SimProcess.Pending<T> pending, boolean write) {}
}
