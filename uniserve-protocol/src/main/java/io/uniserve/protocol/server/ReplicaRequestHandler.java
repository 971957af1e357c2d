package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ReplicaRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.server.identity.ServerRegistration;
import java.util.function.Consumer;

/**
 * Handler of requests to replicas on this server: log entries of their primaries, and comparisons of copies. No reply is sent before the
 * call returns.
 */
final class ReplicaRequestHandler implements ReplicaRequest.Handler<Completion<PeerReply>> {
    private final Environment env;
    private final ServerId self;
    private final HostedReplicas replicas;
    private final TableViewCache views;
    private final ServerRegistration registration;
    private final Scrubber scrubber;

    ReplicaRequestHandler(
            Environment env,
            ServerId self,
            HostedReplicas replicas,
            TableViewCache views,
            ServerRegistration registration,
            Scrubber scrubber) {
        this.env = env;
        this.self = self;
        this.replicas = replicas;
        this.views = views;
        this.registration = registration;
        this.scrubber = scrubber;
    }

    @Override
    public void replicate(PeerRequest.Replicate request, Completion<PeerReply> completion) {
        Replica replica = replicas.find(request.key());
        if (replica != null) {
            boolean[] inside = {true};
            replica.replicate(request, outcome -> {
                if (inside[0]) {
                    later(completion, outcome);
                } else {
                    completion.done(outcome);
                }
            });
            inside[0] = false;
            return;
        }
        TableViewCache.View view = views.find(request.key().tableId());
        long epoch = 0;
        if (view == null) {
            views.refreshNames();
        } else {
            ActorState actor = view.map().find(request.key().actor());
            epoch = actor == null || actor.hasReplicaOn(self) ? 0 : actor.epoch();
            if (actor == null || request.epoch() > actor.epoch()) {
                views.refresh(view.meta().name());
            }
        }
        later(
                completion,
                Outcome.ok(new Replicated(Replicated.Status.STALE_EPOCH, epoch, 0, 0, 0, registration.incarnation())));
    }

    @Override
    public void quarantineCopy(PeerRequest.QuarantineCopy request, Completion<PeerReply> completion) {
        onReplica(
                request.key(),
                completion,
                replica -> replica.copyCheck().quarantine(request, outcome -> later(completion, outcome)));
    }

    @Override
    public void takeDigest(PeerRequest.TakeDigest request, Completion<PeerReply> completion) {
        onReplica(
                request.key(),
                completion,
                replica -> replica.copyCheck().takeDigest(request, outcome -> later(completion, outcome)));
    }

    @Override
    public void compareCopies(PeerRequest.CompareCopies request, Completion<PeerReply> completion) {
        onReplica(request.key(), completion, replica -> {
            scrubber.compared(request.key());
            replica.copyCheck().compare(outcome -> later(completion, outcome));
        });
    }

    private void onReplica(ReplicaKey key, Completion<PeerReply> completion, Consumer<Replica> task) {
        Replica replica = replicas.find(key);
        if (replica == null) {
            later(
                    completion,
                    Outcome.err(new UniserveException(
                            ErrorCode.UNAVAILABLE, "server " + self + " does not hold " + key + ": try again")));
        } else {
            task.accept(replica);
        }
    }

    private void later(Completion<PeerReply> completion, Outcome<PeerReply> outcome) {
        env.timers().after(0, () -> completion.done(outcome));
    }
}
