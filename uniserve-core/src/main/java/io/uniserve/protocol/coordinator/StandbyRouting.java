package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.CoordinatorRecord;
import io.uniserve.model.Routing;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
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
 */
final class StandbyRouting {
    private static final long WAKE_NANOS = 20_000_000L;
    private static final int TICKS_PER_RELOAD = 20;

    private final CoordinatorConfig config;
    private final FencedRegistry registry;
    private final CatalogManager catalog;
    private final MembershipManager members;
    private final Supplier<@Nullable CoordinatorRecord> leader;
    private final Consumer<Routing> listener;
    private final Set<TableName> watched = new TreeSet<>();
    private boolean loaded;
    private boolean loading;
    private boolean again;
    private boolean retrying;
    private boolean pushing;

    StandbyRouting(
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

    void begin() {
        registry.watch(RegistryPaths.TABLES, this::reload);
        members.start();
        cycle();
    }

    void end() {
        registry.end();
    }

    private void cycle() {
        reload();
        members.refresh();
        registry.after(TICKS_PER_RELOAD * config.tickNanos(), this::cycle);
    }

    private void reload() {
        if (loading) {
            again = true;
            return;
        }
        loading = true;
        again = false;
        catalog.load(new CatalogManager.Then() {
            @Override
            public void done() {
                loading = false;
                loaded = true;
                watchTables();
                push();
                if (again) {
                    reload();
                }
            }

            @Override
            public void failed(UniserveException error) {
                loading = false;
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
        Set<TableName> names = new TreeSet<>(catalog.undefined());
        catalog.tables().forEach(table -> names.add(table.meta.name()));
        for (TableName name : names) {
            if (watched.add(name)) {
                again = true;
                registry.watch(RegistryPaths.table(name), () -> changed(name));
                registry.watch(RegistryPaths.map(name), () -> changed(name));
            }
        }
    }

    private void changed(TableName name) {
        if (loading) {
            again = true;
            return;
        }
        catalog.reload(name, new CatalogManager.Then() {
            @Override
            public void done() {
                push();
            }

            @Override
            public void failed(UniserveException error) {
                reloadLater();
            }
        });
    }

    /** Notifies the listener soon. Changes in short succession cause one notification. */
    void push() {
        if (!pushing) {
            pushing = true;
            registry.after(WAKE_NANOS, () -> {
                pushing = false;
                routing().ifPresent(listener);
            });
        }
    }

    Optional<Routing> routing() {
        if (!loaded || !members.loaded()) {
            return Optional.empty();
        }
        CoordinatorRecord known = leader.get();
        Address address = known == null ? null : known.address();
        return Optional.of(new Routing(config.clusterId(), catalog.routes(), List.copyOf(members.servers()), address));
    }
}
