package io.uniserve.protocol.coordinator.access;

import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;

/** One change of the rules or of the users, or one reading of them. */
public final class AccessChanger {
    private final LeaderContext leader;
    private final PendingAdminReply answer;

    public AccessChanger(LeaderContext leader, PendingAdminReply answer) {
        this.leader = leader;
        this.answer = answer;
    }

    /** True for a request that this class handles. */
    public static boolean isFor(AdminRequest request) {
        return request instanceof AdminRequest.ChangeGrant
                || request instanceof AdminRequest.ChangeRevocation
                || request instanceof AdminRequest.ChangeLimit
                || request instanceof AdminRequest.ListGrants
                || request instanceof AdminRequest.PutUser
                || request instanceof AdminRequest.RemoveUser
                || request instanceof AdminRequest.ListUsers;
    }

    /** Answers a request. */
    public void handle(AdminRequest request) {
        if (request instanceof AdminRequest.ChangeGrant change) {
            change(change);
        } else if (request instanceof AdminRequest.ChangeRevocation change) {
            change(change);
        } else if (request instanceof AdminRequest.ChangeLimit change) {
            change(change);
        } else if (request instanceof AdminRequest.ListGrants list) {
            list(list);
        } else {
            new UserChanger(leader, answer).handle(request);
        }
    }

    private RegistryValueChanger<AccessRules> rules() {
        return new RegistryValueChanger<>(leader, answer, RegistryPaths.ACCESS, AccessRules.class, AccessRules.NONE);
    }

    /** Adds or removes a rule. Succeeds if it is there, or absent, already. Fails with TOO_LARGE beyond the limit of rules. */
    private void change(AdminRequest.ChangeGrant request) {
        rules().change(rules -> request.revoke() ? rules.without(request.grant()) : rules.with(request.grant()));
    }

    /** Adds or removes a revocation. Succeeds if it is there, or absent, already. Fails with TOO_LARGE beyond the limit. */
    private void change(AdminRequest.ChangeRevocation request) {
        rules().change(rules ->
                request.undo() ? rules.without(request.revocation()) : rules.with(request.revocation()));
    }

    /** Sets or removes a limit. Succeeds if it is set, or absent, already. */
    private void change(AdminRequest.ChangeLimit request) {
        rules().change(rules -> request.value() == 0
                ? rules.without(request.role(), request.kind())
                : rules.with(new RoleLimit(request.role(), request.kind(), request.value())));
    }

    private void list(AdminRequest.ListGrants request) {
        rules().list(rules -> answer.ok(
                request.all()
                        ? new AdminReply.UserRoles("", rules.grants(), rules.revocations(), rules.limits())
                        : new AdminReply.UserRoles(
                                request.user(),
                                rules.of(request.user()),
                                List.of(),
                                request.user().isEmpty() ? List.of() : rules.limits())));
    }
}
