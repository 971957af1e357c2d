package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.identity.IdentifiedRegistry;
import io.uniserve.protocol.identity.OwnedObjects;
import io.uniserve.protocol.message.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Guard of a server's cluster identity: lets the server touch the registry and durable storage of its own cluster only. A server
 * that meets another's while it starts fails; one that runs leaves service.
 */
final class IdentityGuard {
    private static final Logger LOG = LoggerFactory.getLogger(IdentityGuard.class);

    private final ServerConfig config;
    private final FatalHandler fatal;
    private final Runnable stop;
    private final IdentifiedRegistry registry;
    private final OwnedObjects objects;
    private final Environment env;
    private final Admission admission;
    private @Nullable StoreOwner owner;
    private @Nullable UniserveException left;
    private Consumer<String> listener = identity -> {};
    private Runnable then = () -> {};
    private boolean registered;
    private boolean stopped;

    /**
     * @param world the registry and durable storage as they are, of whatever cluster
     * @param stop stops the server at once
     */
    IdentityGuard(ServerConfig config, Environment world, FatalHandler fatal, Runnable stop) {
        this.config = config;
        this.fatal = fatal;
        this.stop = stop;
        registry = new IdentifiedRegistry(
                world.registry(),
                world.timers(),
                config.replicas().retryNanos(),
                config.self(),
                config.clusterId(),
                new Events());
        objects = new OwnedObjects(world.objects(), world.clock(), world.timers());
        env = world.with(registry, objects);
        admission = new Admission(world, config, this::admitted, this::refused);
    }

    /** The world with the registry and durable storage of this server's cluster. */
    Environment env() {
        return env;
    }

    /** Runs the task once the registry has shown the server's identity and durable storage is not another cluster's. */
    void start(Runnable task) {
        then = task;
        admission.start();
    }

    /** The server runs from now on. */
    void registered() {
        registered = true;
    }

    void stop() {
        stopped = true;
        admission.stop();
        registry.stop();
        objects.stop();
        if (owner != null) {
            owner.stop();
        }
    }

    /** Why the server has left service; null where it has not. */
    @Nullable
    UniserveException left() {
        return left;
    }

    /** What a new connection to the registry has met while the session has none, for reports of the loss. */
    Optional<String> met() {
        return registry.met().map(UniserveException::reason);
    }

    /** Durable storage that is another cluster's by now. */
    List<Problem> problems() {
        return objects.foreign()
                .map(why -> List.of(new Problem(Problem.Severity.FAILING, "backup", why.reason())))
                .orElse(List.of());
    }

    /** Done when durable storage is known to be this cluster's, as of a second ago or later. */
    void confirmStore(Completion<Done> completion) {
        objects.confirm(completion);
    }

    /** The answer of a server that has stopped, or has not begun. */
    UniserveException refusal() {
        UniserveException why = left;
        return why != null
                ? why
                : new UniserveException(
                        ErrorCode.UNAVAILABLE, stopped ? "the server stops" : "the server starts: try again");
    }

    void onIdentity(Consumer<String> told) {
        listener = told;
    }

    private void admitted(String identity) {
        StoreOwner store = new StoreOwner(env, objects, config, identity, then, this::refused);
        owner = store;
        registry.begin(identity, store::check);
    }

    private void refused(UniserveException why) {
        if (stopped) {
            return;
        }
        LOG.error("{} stops: {}", config.self(), why.getMessage());
        left = why;
        stop.run();
        if (registered) {
            fatal.outOfService(why);
        } else {
            fatal.fatal(why);
        }
    }

    private final class Events implements IdentifiedRegistry.Listener {
        @Override
        public void identified(String identity) {
            listener.accept(identity);
        }

        @Override
        public void refused(UniserveException why) {
            IdentityGuard.this.refused(why);
        }
    }
}
