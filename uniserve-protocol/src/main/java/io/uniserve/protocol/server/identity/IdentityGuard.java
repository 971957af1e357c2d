package io.uniserve.protocol.server.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.identity.IdentityCheckingRegistry;
import io.uniserve.protocol.identity.OwnerCheckingObjectStore;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.server.config.FatalErrorHandler;
import io.uniserve.protocol.server.config.ServerConfig;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Guard of a server's cluster identity: it permits access to the registry and durable storage of the server's own cluster only. A server
 * that finds another cluster's identity at its start fails; a running one goes out of service.
 */
public final class IdentityGuard {
    private static final Logger LOG = LoggerFactory.getLogger(IdentityGuard.class);

    private final ServerConfig config;
    private final FatalErrorHandler fatal;
    private final Runnable stop;
    private final IdentityCheckingRegistry registry;
    private final OwnerCheckingObjectStore objects;
    private final Environment env;
    private final ServerAdmission admission;
    private @Nullable StoreOwnerChecker owner;
    private @Nullable UniserveException outOfServiceReason;
    private Consumer<String> listener = identity -> {};
    private Runnable then = () -> {};
    private boolean registered;
    private boolean stopped;

    /**
     * @param world environment with unguarded registry and durable storage, which may belong to any cluster
     * @param stop stops the server at once
     */
    public IdentityGuard(ServerConfig config, Environment world, FatalErrorHandler fatal, Runnable stop) {
        this.config = config;
        this.fatal = fatal;
        this.stop = stop;
        registry = new IdentityCheckingRegistry(
                world.registry(),
                world.timers(),
                config.replicas().retryNanos(),
                config.self(),
                config.clusterId(),
                new Events());
        objects = new OwnerCheckingObjectStore(world.objects(), world.clock(), world.timers());
        env = world.with(registry, objects);
        admission = new ServerAdmission(world, config, this::onAdmitted, this::onRefused);
    }

    /** The environment with the guarded registry and durable storage. */
    public Environment env() {
        return env;
    }

    /** Runs the task once the registry has the server's identity, and durable storage does not belong to another cluster. */
    public void start(Runnable task) {
        then = task;
        admission.start();
    }

    /** Marks the server as running. */
    public void markRunning() {
        registered = true;
    }

    public void stop() {
        stopped = true;
        admission.stop();
        registry.stop();
        objects.stop();
        if (owner != null) {
            owner.stop();
        }
    }

    /** Reason why the server is out of service; null if it is in service. */
    @Nullable
    public UniserveException outOfServiceReason() {
        return outOfServiceReason;
    }

    /** Finding of the last connection attempt while there is no session, for reports of the loss. */
    public Optional<String> connectionFinding() {
        return registry.outageFinding().map(UniserveException::reason);
    }

    /** A problem if durable storage now belongs to another cluster. */
    public List<HealthProblem> problems() {
        return objects.foreignOwnerError()
                .map(why -> List.of(new HealthProblem(HealthProblem.Severity.FAILING, "backup", why.reason())))
                .orElse(List.of());
    }

    /** Completes when durable storage is confirmed as this cluster's, at most a second ago. */
    public void confirmStore(Completion<Done> completion) {
        objects.confirm(completion);
    }

    /** The error for requests to a server that has stopped or not started. */
    public UniserveException notServingError() {
        UniserveException why = outOfServiceReason;
        return why != null
                ? why
                : new UniserveException(
                        ErrorCode.UNAVAILABLE, stopped ? "the server is stopping" : "the server is starting: retry");
    }

    public void onIdentity(Consumer<String> told) {
        listener = told;
    }

    private void onAdmitted(String identity) {
        StoreOwnerChecker store = new StoreOwnerChecker(env, objects, config, identity, then, this::onRefused);
        owner = store;
        registry.start(identity, store::check);
    }

    private void onRefused(UniserveException why) {
        if (stopped) {
            return;
        }
        LOG.error("{}: stopping: {}", config.self(), why.getMessage());
        outOfServiceReason = why;
        stop.run();
        if (registered) {
            fatal.onOutOfService(why);
        } else {
            fatal.onFatal(why);
        }
    }

    private final class Events implements IdentityCheckingRegistry.Listener {
        @Override
        public void onIdentified(String identity) {
            listener.accept(identity);
        }

        @Override
        public void onRefused(UniserveException why) {
            IdentityGuard.this.onRefused(why);
        }
    }
}
