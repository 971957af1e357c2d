package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.transaction.server.TransactionService;
import io.uniserve.runtime.port.LoadedPort;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/** Running engine with its operators and updates by name. Thread-safe. */
final class RunningPort implements AutoCloseable {
    private final String name;
    private final LoadedPort port;
    private final PortInfo info;
    private final EngineInstance instance;
    private final ActorFactory<? extends Actor> factory;
    private final Map<String, Operator<?, ?>> operators;
    private final Map<String, UpdateFunction<?, ?>> updates;
    private final Optional<Planner> planner;

    RunningPort(String name, LoadedPort port, EngineContext context) {
        this.name = name;
        this.port = port;
        this.info = call("info", () -> port.engine().info());
        this.instance = call("opening the engine", () -> port.engine().open(context));
        this.factory = call("actors", instance::actors);
        this.operators = byId("operators", call("operators", instance::operators), Operator::id, info.operators());
        this.updates = byId("updates", call("updates", instance::updates), UpdateFunction::id, info.updates());
        this.planner = call("planner", () -> port.engine().planner());
    }

    /** See {@link LoadedPort#build}. */
    String buildId() {
        return port.build();
    }

    private <T> Map<String, T> byId(String what, List<T> list, Function<T, String> id, Collection<String> promised) {
        Map<String, T> byId = new LinkedHashMap<>();
        for (T each : list) {
            if (byId.put(id.apply(each), each) != null) {
                throw mismatch(what + " has " + id.apply(each) + " twice");
            }
        }
        if (!new TreeSet<>(byId.keySet()).equals(new TreeSet<>(promised))) {
            throw mismatch("info() promises " + what + " " + new TreeSet<>(promised) + ", the instance has "
                    + new TreeSet<>(byId.keySet()));
        }
        return byId;
    }

    private UniserveException mismatch(String message) {
        return new UniserveException(ErrorCode.PORT_PROTOCOL, "port " + info.name() + ": " + message);
    }

    PortInfo info() {
        return info;
    }

    void validate(TableMeta meta, Optional<TableMeta> before) {
        if (before.isPresent() && TransactionService.isAtomic(meta.level())) {
            throw UniserveException.unsupported("table " + meta.name() + " has level " + meta.level()
                    + ", whose options cannot change; create a new table, or use one of level EVENTUAL");
        }
        run("validating table " + meta.name(), () -> {
            if (before.isPresent()) {
                port.engine().validateChange(before.get(), meta);
            } else {
                port.engine().validate(meta);
            }
        });
    }

    /** True if the port accepts the change to this definition. */
    boolean acceptsChange(TableMeta meta, TableMeta before) {
        try {
            validate(meta, Optional.of(before));
            return true;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.INVALID_ARGUMENT || e.code() == ErrorCode.UNSUPPORTED) {
                return false;
            }
            throw e;
        }
    }

    Actor create(ActorContext context) {
        return call("creating an actor", () -> factory.create(context));
    }

    Actor restore(ActorContext context, Path directory) {
        return call("restoring an actor", () -> factory.restore(context, directory));
    }

    Optional<Operator<?, ?>> operator(String id) {
        return Optional.ofNullable(operators.get(id));
    }

    UpdateFunction<?, ?> update(String id) {
        UpdateFunction<?, ?> update = updates.get(id);
        if (update == null) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_UPDATE,
                    "port " + info.name() + " has no update \"" + id + "\"; it has " + new TreeSet<>(updates.keySet()));
        }
        return update;
    }

    Optional<Planner> planner() {
        return planner;
    }

    /** Runs the port's code with its class loader, and maps its errors. */
    <T> T call(String what, Supplier<T> work) {
        return PortCallGuard.guard(name, what, () -> port.call(work));
    }

    void run(String what, Runnable work) {
        Boolean done = call(what, () -> {
            work.run();
            return Boolean.TRUE;
        });
        if (!done) {
            throw new IllegalStateException(what);
        }
    }

    @Override
    public void close() {
        run("closing the engine", instance::close);
    }
}
