package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.env.Registry;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Routing of a standby coordinator, so that clients may connect to any coordinator first. It follows ZooKeeper by watches, and also reads
 * everything periodically. It writes nothing.
 *
 * <p>Life cycle of the loads, see {@link Loading}: IDLE → RUNNING → IDLE. A change during a load, or a table that is not watched yet, leads
 * to OUTDATED, and another load follows. A failed load leads to IDLE and is retried.
 */
public final class StandbyRouting {
    private static final long WAKE_NANOS = 20_000_000L;
    private static final int TICKS_PER_RELOAD = 20;

    private final CoordinatorConfig config;
    private final FencedRegistry registry;
    private final CatalogManager catalog;
    private final MembershipManager members;
    private final Supplier<@Nullable CoordinatorRecord> leader;
    private final Consumer<Routing> listener;
    private final Set<TableName> watched = new TreeSet<>();
    private Loading loading = Loading.IDLE;
    private boolean loaded;
    private boolean retrying;
    private boolean pushing;

    private enum Loading {
        IDLE,
        RUNNING,
        /** A load is running that may lack a change. */
        OUTDATED
    }

    public StandbyRouting(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            Supplier<@Nullable CoordinatorRecord> leader,
            Consumer<Routing> listener) {
        this.config = config;
        this.leader = leader;
        this.listener = listener;
        registry = new FencedRegistry(env, Registry.ABSENT, config.tickNanos(), () -> {});
        catalog = new CatalogManager(registry);
        members = new MembershipManager(registry, this::push);
    }

    public void start() {
        registry.watch(RegistryPaths.TABLES, this::reload);
        members.start();
        reloadPeriodically();
    }

    public void end() {
        registry.end();
    }

    private void reloadPeriodically() {
        reload();
        members.refresh();
        registry.after(TICKS_PER_RELOAD * config.tickNanos(), this::reloadPeriodically);
    }

    private void reload() {
        if (loading != Loading.IDLE) {
            loading = Loading.OUTDATED;
            return;
        }
        loading = Loading.RUNNING;
        catalog.load(new CatalogManager.LoadCallback() {
            @Override
            public void onLoaded() {
                loaded = true;
                watchTables();
                push();
                boolean outdated = loading == Loading.OUTDATED;
                loading = Loading.IDLE;
                if (outdated) {
                    reload();
                }
            }

            @Override
            public void onFailed(UniserveException error) {
                loading = Loading.IDLE;
                reloadLater();
            }
        });
    }

    private void reloadLater() {
        if (!retrying) {
            retrying = true;
            registry.retry(() -> {
                retrying = false;
                reload();
            });
        }
    }

    /** Watches every name, with or without a definition: a table's node may appear before its definition. */
    private void watchTables() {
        Set<TableName> names = new TreeSet<>(catalog.namesWithoutDefinition());
        catalog.tables().forEach(table -> names.add(table.meta.name()));
        for (TableName name : names) {
            if (watched.add(name)) {
                loading = Loading.OUTDATED;
                registry.watch(RegistryPaths.table(name), () -> changed(name));
                registry.watch(RegistryPaths.map(name), () -> changed(name));
            }
        }
    }

    private void changed(TableName name) {
        if (loading != Loading.IDLE) {
            loading = Loading.OUTDATED;
            return;
        }
        catalog.reload(name, new CatalogManager.LoadCallback() {
            @Override
            public void onLoaded() {
                push();
            }

            @Override
            public void onFailed(UniserveException error) {
                reloadLater();
            }
        });
    }

    /** Notifies the listener soon. Changes in short succession cause one notification. */
    public void push() {
        if (!pushing) {
            pushing = true;
            registry.after(WAKE_NANOS, () -> {
                pushing = false;
                routing().ifPresent(listener);
            });
        }
    }

    public Optional<Routing> routing() {
        if (!loaded || !members.isLoaded()) {
            return Optional.empty();
        }
        CoordinatorRecord known = leader.get();
        Address address = known == null ? null : known.address();
        return Optional.of(new Routing(config.clusterId(), catalog.routes(), List.copyOf(members.servers()), address));
    }
}
