package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.runtime.async.Waiter;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryRegistrySessionTest extends RegistryContract {
    private final InMemoryZooKeeper shared = new InMemoryZooKeeper();

    @Override
    Registry open() {
        return shared.connect(loop);
    }

    @Override
    void end(Registry registry) {
        ((InMemoryRegistrySession) registry).close();
    }

    @Override
    void whileCut(Registry registry, Runnable task) {
        ((InMemoryRegistrySession) registry).suspend();
        task.run();
        ((InMemoryRegistrySession) registry).resume();
    }

    @Override
    void expire(Registry registry) {
        ((InMemoryRegistrySession) registry).expire();
    }

    @Test
    void aWriteWhoseAnswerIsLostHasHappened() {
        InMemoryRegistrySession registry = shared.connect(loop);
        registry.loseNextReply();
        assertThat(Waiter.<MultiResult>error(
                                done -> registry.multi(List.of(new Op.Create("/u", term("x"), false)), done))
                        .code())
                .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        registry.resume();
        assertThat(read(registry, "/u").version()).isZero();
    }
}
