package io.uniserve.server;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.operator.Operator;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.runtime.engine.HostedActor;
import io.uniserve.runtime.engine.PortEngineHost;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.session.PinnedActorProvider;
import java.util.Optional;
import java.util.function.Supplier;

/** Adapter from the engine host's actors to the {@link PinnedActorProvider} of the read workers. */
final class HostedActorProvider implements PinnedActorProvider {
    private final PortEngineHost host;

    HostedActorProvider(PortEngineHost host) {
        this.host = host;
    }

    @Override
    public Optional<PinnedActor> pin(ReplicaKey key) {
        return host.pin(key).map(Pinned::new);
    }

    private final class Pinned implements PinnedActor {
        private final HostedActor hosted;
        private final String port;

        private Pinned(HostedActor hosted) {
            this.hosted = hosted;
            this.port = hosted.meta().port();
        }

        @Override
        public Actor actor() {
            return hosted.actor();
        }

        @Override
        public long stateNumber() {
            return hosted.stateNumber();
        }

        @Override
        public Optional<Operator<?, ?>> operator(String id) {
            return host.operator(port, id);
        }

        @Override
        public <T> T call(String what, Supplier<T> work) {
            return host.call(port, what, work);
        }

        @Override
        public boolean isPublished() {
            return hosted.isPublished();
        }

        @Override
        public void publishThen(Runnable task) {
            hosted.publishThen(task);
        }

        @Override
        public boolean isAtomic() {
            return hosted.isAtomic();
        }

        @Override
        public Optional<VersionedSnapshotCache.Ref<ActorView>> snapshotAt(long version) {
            return hosted.snapshotAt(version);
        }

        @Override
        public void close() {
            hosted.release();
        }
    }
}
