package io.uniserve.protocol.testing;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;

/** Network that delivers requests to handlers by address. Without a handler it refuses the connection. */
public final class TestingNetwork implements Network {
    private final TestingLoop loop;
    private final Map<String, BiConsumer<PeerRequest, Completion<PeerReply>>> handlers = new TreeMap<>();

    private BiPredicate<Address, PeerRequest> lost = (to, request) -> false;

    private BiFunction<Address, PeerRequest, PeerRequest> changed = (to, request) -> request;

    public TestingNetwork(TestingLoop loop) {
        this.loop = loop;
    }

    /** Serves requests to this address from now on. */
    public void serve(Address at, BiConsumer<PeerRequest, Completion<PeerReply>> handler) {
        handlers.put(at.toString(), handler);
    }

    /** Loses requests of this kind from now on. */
    public void lose(BiPredicate<Address, PeerRequest> which) {
        lost = which;
    }

    /** Changes requests in transit from now on. */
    public void change(BiFunction<Address, PeerRequest, PeerRequest> how) {
        changed = how;
    }

    /** Refuses connections to this address from now on. */
    public void stop(Address at) {
        handlers.remove(at.toString());
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        boolean[] answered = {false};
        loop.after(timeoutNanos, () -> {
            if (!answered[0]) {
                answered[0] = true;
                completion.done(
                        Outcome.err(new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "no answer from " + to)));
            }
        });
        loop.later(() -> {
            BiConsumer<PeerRequest, Completion<PeerReply>> handler = handlers.get(to.toString());
            if (lost.test(to, request)) {
                return;
            }
            if (handler == null) {
                answered[0] = true;
                completion.done(
                        Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no server listens at " + to)));
            } else {
                handler.accept(
                        changed.apply(to, request),
                        outcome -> loop.later(() -> {
                            if (!answered[0]) {
                                answered[0] = true;
                                completion.done(outcome);
                            }
                        }));
            }
        });
    }
}
