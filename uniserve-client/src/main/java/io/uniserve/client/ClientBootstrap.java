package io.uniserve.client;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.serial.SharedRoutingCache;
import io.uniserve.runtime.transport.client.RoutingClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Connection of a new client: tries the bootstrap addresses in turn until one returns a routing map. */
final class ClientBootstrap {
    private static final int TRIED_MAX = 16;

    private final SharedRoutingCache routing;
    private final RoutingClient client;
    private final ClientOptions options;
    private final Clock clock;
    private final List<Attempt> tried = new ArrayList<>();

    ClientBootstrap(SharedRoutingCache routing, RoutingClient client, ClientOptions options, Clock clock) {
        this.routing = routing;
        this.client = client;
        this.options = options;
        this.clock = clock;
    }

    void await() {
        long deadline = clock.nanos() + options.connectTimeout().toNanos();
        int refusals = 0;
        UniserveException last = new UniserveException(ErrorCode.UNAVAILABLE, "no answer yet");
        while (routing.current().routing().clusterId().isEmpty()) {
            long remaining = deadline - clock.nanos();
            boolean refusedByAll = refusals >= options.bootstrap().size();
            if (remaining <= 0 || refusedByAll) {
                throw failure(last, refusedByAll);
            }
            UniserveException error = attempt(remaining);
            if (error.code() != ErrorCode.CANCELLED) {
                last = error;
                recordAttempt(error);
            }
            refusals = error.code() == ErrorCode.WRONG_CLUSTER || error.code() == ErrorCode.UNAUTHORIZED
                    ? refusals + 1
                    : 0;
        }
    }

    /** Returns the error of one address; CANCELLED if it succeeded. */
    private UniserveException attempt(long remaining) {
        CompletableFuture<Outcome<Routing>> answer = new CompletableFuture<>();
        client.refresh(answer::complete);
        try {
            Outcome<Routing> outcome = answer.get(remaining, TimeUnit.NANOSECONDS);
            return outcome instanceof Outcome.Err<Routing> err
                    ? err.error()
                    : new UniserveException(ErrorCode.CANCELLED, "connected");
        } catch (TimeoutException e) {
            return new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "no routing map in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while connecting", e);
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "connecting failed", e);
        }
    }

    private void recordAttempt(UniserveException error) {
        if (tried.size() < TRIED_MAX) {
            tried.add(new Attempt("bootstrap", error.code(), error.reason()));
        }
    }

    private UniserveException failure(UniserveException last, boolean refused) {
        return new UniserveException(
                refused || last.code() == ErrorCode.WRONG_CLUSTER ? last.code() : ErrorCode.UNAVAILABLE,
                refused
                        ? last.reason()
                        : "none of " + options.bootstrap() + " sent a routing map within " + options.connectTimeout()
                                + "; check the addresses and the TLS files, and that a server is running there",
                tried,
                last);
    }
}
