package io.uniserve.simulator.workload;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.RoutingView;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Twin of a client's routing map, which servers push to it: late, but never an older map after a newer one. */
public final class SimRoutingView implements RoutingView {
    private static final long PUSH_NANOS = 200_000_000;
    private static final long LATE_PUSH_NANOS = 5_000_000_000L;
    private static final long REFRESH_NANOS = 20_000_000;

    private final SimEnsemble ensemble;
    private final SimProcess process;
    private final Prng random;
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private RouteIndex current;
    private long seenZxid;
    private boolean held;

    public SimRoutingView(SimEnsemble ensemble, SimProcess process, Prng random) {
        this.ensemble = ensemble;
        this.process = process;
        this.random = random;
        this.current = RouteIndex.of(routing(ensemble, 0));
        ensemble.addListener((session, zxid, applied, changed) -> {
            if (changed.stream().anyMatch(SimRoutingView::routes)) {
                long late = random.below(10) == 0 ? random.below(LATE_PUSH_NANOS) : random.below(PUSH_NANOS);
                process.post(late, () -> advanceTo(zxid));
            }
        });
    }

    /** Stops or resumes the pushes, as when the server that pushes to the client gets no new map. */
    public void setHeld(boolean value) {
        held = value;
        if (!held) {
            process.post(random.below(PUSH_NANOS), () -> advanceTo(ensemble.zxid()));
        }
    }

    private static boolean routes(String path) {
        return path.startsWith(RegistryPaths.TABLES) && !path.contains("/backup") && !RegistryPaths.isLog(path)
                || path.startsWith(RegistryPaths.SERVERS)
                || path.equals(RegistryPaths.LEADER);
    }

    @Override
    public RouteIndex current() {
        return current;
    }

    @Override
    public void refresh(Completion<RouteIndex> completion) {
        process.post(random.below(REFRESH_NANOS), () -> {
            advanceTo(ensemble.zxid());
            process.post(random.below(REFRESH_NANOS), () -> completion.done(Outcome.ok(current)));
        });
    }

    @Override
    public Timers.Cancel onChange(Runnable changed) {
        Runnable once = new Runnable() {
            @Override
            public void run() {
                changed.run();
            }
        };
        waiting.add(once);
        return () -> waiting.remove(once);
    }

    private void advanceTo(long zxid) {
        if (held || zxid <= seenZxid) {
            return;
        }
        seenZxid = zxid;
        current = RouteIndex.of(routing(ensemble, zxid));
        List<Runnable> told = List.copyOf(waiting);
        told.forEach(task -> {
            if (waiting.remove(task)) {
                task.run();
            }
        });
    }

    /** The routing that the registry held after this transaction. */
    public static Routing routing(SimEnsemble ensemble, long zxid) {
        List<TableRoute> tables = new ArrayList<>();
        for (String name : ensemble.children(RegistryPaths.TABLES, zxid)) {
            TableName table = new TableName(name);
            Versioned meta = ensemble.read(RegistryPaths.meta(table), zxid);
            Versioned map = ensemble.read(RegistryPaths.map(table), zxid);
            if (meta.value() instanceof TableMeta definition && map.value() instanceof TableMap actors) {
                tables.add(new TableRoute(definition, actors, map.version()));
            }
        }
        List<ServerRecord> servers = new ArrayList<>();
        for (String name : ensemble.children(RegistryPaths.SERVERS, zxid)) {
            if (ensemble.read(RegistryPaths.SERVERS + "/" + name, zxid).value() instanceof ServerRecord server) {
                servers.add(server);
            }
        }
        return new Routing("sim", tables, servers, leader(ensemble, zxid));
    }

    private static @Nullable Address leader(SimEnsemble ensemble, long zxid) {
        return ensemble.read(RegistryPaths.LEADER, zxid).value() instanceof CoordinatorRecord leader
                ? leader.address()
                : null;
    }
}
