package io.uniserve.protocol.coordinator.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One change of the rules, or one reading of them. All rules are one node of the registry, so a change is one conditional write: it reads
 * the node, writes it if its version is the same, and begins again otherwise.
 */
public final class GrantChanger {
    /** Attempts at one change. Each failed one means that another change succeeded. */
    private static final int ATTEMPTS_MAX = 16;

    private final LeaderContext leader;
    private final PendingAdminReply answer;
    private int attempts;

    public GrantChanger(LeaderContext leader, PendingAdminReply answer) {
        this.leader = leader;
        this.answer = answer;
    }

    /** Adds or removes a rule. Succeeds if it is there, or absent, already. Fails with TOO_LARGE beyond the limit of rules. */
    public void change(AdminRequest.ChangeGrant request) {
        change(rules -> request.revoke() ? rules.without(request.grant()) : rules.with(request.grant()));
    }

    /** Adds or removes a revocation. Succeeds if it is there, or absent, already. Fails with TOO_LARGE beyond the limit. */
    public void change(AdminRequest.ChangeRevocation request) {
        change(rules -> request.undo() ? rules.without(request.revocation()) : rules.with(request.revocation()));
    }

    private void change(UnaryOperator<AccessRules> change) {
        leader.registry()
                .afterSync(() -> leader.registry().read(RegistryPaths.ACCESS, outcome -> {
                    try {
                        write(change, outcome);
                    } catch (UniserveException refused) {
                        answer.fail(refused);
                    }
                }));
    }

    private void write(UnaryOperator<AccessRules> change, Outcome<Versioned> outcome) {
        AccessRules rules = rules(outcome);
        AccessRules next = change.apply(rules);
        if (next.equals(rules)) {
            answer.ok(new AdminReply.Ack());
            return;
        }
        int version = ((Outcome.Ok<Versioned>) outcome).value().version();
        Op op = version == Registry.ABSENT
                ? new Op.Create(RegistryPaths.ACCESS, next, false)
                : new Op.Set(RegistryPaths.ACCESS, next, version);
        leader.registry().write(List.of(op), written -> onWritten(change, written));
    }

    private void onWritten(UnaryOperator<AccessRules> change, WriteResult written) {
        UniserveException error = written.error();
        if (written.isApplied()) {
            answer.ok(new AdminReply.Ack());
        } else if (error != null) {
            answer.fail(error);
        } else if (++attempts < ATTEMPTS_MAX) {
            change(change);
        } else {
            answer.fail(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the registry cannot be written now: list the rules, then try again"));
        }
    }

    /** Answers with the rules. */
    public void list(AdminRequest.ListGrants request) {
        leader.registry()
                .afterSync(() -> leader.registry().read(RegistryPaths.ACCESS, outcome -> {
                    try {
                        AccessRules rules = rules(outcome);
                        answer.ok(
                                request.all()
                                        ? new AdminReply.UserRoles("", rules.grants(), rules.revocations())
                                        : new AdminReply.UserRoles(
                                                request.user(), rules.of(request.user()), List.of()));
                    } catch (UniserveException refused) {
                        answer.fail(refused);
                    }
                }));
    }

    private static AccessRules rules(Outcome<Versioned> outcome) {
        if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
            throw outcome.error();
        }
        if (ok.value().version() == Registry.ABSENT) {
            return AccessRules.NONE;
        }
        if (ok.value().value() instanceof AccessRules rules) {
            return rules;
        }
        throw new UniserveException(
                ErrorCode.CORRUPT,
                "registry node " + RegistryPaths.ACCESS + " holds no rules: delete it, then grant anew");
    }
}
