package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.Arrays;
import java.util.List;

/** Mapping of rules and of the requests that change and list them. */
public final class AccessMapping {
    private AccessMapping() {}

    public static SecurityProto.AccessRules toProto(AccessRules rules) {
        SecurityProto.AccessRules.Builder proto = SecurityProto.AccessRules.newBuilder();
        rules.grants().forEach(grant -> proto.addGrants(toProto(grant)));
        rules.revocations().forEach(revocation -> proto.addRevocations(revocation.subject()));
        rules.limits().forEach(limit -> proto.addLimits(toProto(limit.role(), limit.kind(), limit.value())));
        return proto.build();
    }

    /** Fails with INVALID_ARGUMENT if a rule is malformed: a rule that is not understood must not be skipped. */
    public static AccessRules fromProto(SecurityProto.AccessRules proto) {
        return new AccessRules(
                grants(proto.getGrantsList()), revocations(proto.getRevocationsList()), limits(proto.getLimitsList()));
    }

    public static SecurityProto.ChangeGrant toProto(AdminRequest.ChangeGrant request) {
        return SecurityProto.ChangeGrant.newBuilder()
                .setGrant(toProto(request.grant()))
                .setRevoke(request.revoke())
                .build();
    }

    public static AdminRequest.ChangeGrant fromProto(SecurityProto.ChangeGrant proto) {
        return new AdminRequest.ChangeGrant(fromProto(proto.getGrant()), proto.getRevoke());
    }

    public static SecurityProto.ChangeRevocation toProto(AdminRequest.ChangeRevocation request) {
        return SecurityProto.ChangeRevocation.newBuilder()
                .setSubject(request.revocation().subject())
                .setUndo(request.undo())
                .build();
    }

    public static AdminRequest.ChangeRevocation fromProto(SecurityProto.ChangeRevocation proto) {
        return new AdminRequest.ChangeRevocation(new Revocation(proto.getSubject()), proto.getUndo());
    }

    public static SecurityProto.ChangeLimit toProto(AdminRequest.ChangeLimit request) {
        return SecurityProto.ChangeLimit.newBuilder()
                .setLimit(toProto(request.role(), request.kind(), request.value()))
                .build();
    }

    public static AdminRequest.ChangeLimit fromProto(SecurityProto.ChangeLimit proto) {
        SecurityProto.RoleLimit limit = proto.getLimit();
        return new AdminRequest.ChangeLimit(role(limit.getRole()), LimitKind.of(limit.getLimit()), limit.getValue());
    }

    public static SecurityProto.ListGrants toProto(AdminRequest.ListGrants request) {
        return SecurityProto.ListGrants.newBuilder()
                .setUser(request.user())
                .setAll(request.all())
                .build();
    }

    public static AdminRequest.ListGrants fromProto(SecurityProto.ListGrants proto) {
        return new AdminRequest.ListGrants(
                proto.getUser().isEmpty() ? "" : RoleGrant.checkUser(proto.getUser()), proto.getAll());
    }

    /** The call's request that changes or lists rules. */
    static AdminRequest fromProto(AdminProto.AdminCall call) {
        if (call.hasChangeRevocation()) {
            return fromProto(call.getChangeRevocation());
        }
        if (call.hasChangeLimit()) {
            return fromProto(call.getChangeLimit());
        }
        return call.hasChangeGrant() ? fromProto(call.getChangeGrant()) : fromProto(call.getListGrants());
    }

    public static SecurityProto.UserRoles toProto(AdminReply.UserRoles reply) {
        SecurityProto.UserRoles.Builder proto =
                SecurityProto.UserRoles.newBuilder().setUser(reply.user());
        reply.grants().forEach(grant -> proto.addGrants(toProto(grant)));
        reply.revocations().forEach(revocation -> proto.addRevocations(revocation.subject()));
        reply.limits().forEach(limit -> proto.addLimits(toProto(limit.role(), limit.kind(), limit.value())));
        return proto.build();
    }

    public static AdminReply.UserRoles fromProto(SecurityProto.UserRoles proto) {
        return new AdminReply.UserRoles(
                ProtoValidator.text("user", proto.getUser(), Limits.NAME_LENGTH_MAX),
                grants(proto.getGrantsList()),
                revocations(proto.getRevocationsList()),
                limits(proto.getLimitsList()));
    }

    private static List<Revocation> revocations(List<String> list) {
        return ProtoValidator.list("revocations", list, Limits.REVOCATIONS_MAX, Revocation::new);
    }

    private static List<RoleLimit> limits(List<SecurityProto.RoleLimit> list) {
        return ProtoValidator.list(
                "limits",
                list,
                Role.values().length * LimitKind.values().length,
                limit -> new RoleLimit(role(limit.getRole()), LimitKind.of(limit.getLimit()), limit.getValue()));
    }

    private static SecurityProto.RoleLimit toProto(Role role, LimitKind kind, long value) {
        return SecurityProto.RoleLimit.newBuilder()
                .setRole(role.text())
                .setLimit(kind.text())
                .setValue(value)
                .build();
    }

    private static List<RoleGrant> grants(List<SecurityProto.RoleGrant> list) {
        return ProtoValidator.list("grants", list, Limits.GRANTS_MAX, AccessMapping::fromProto);
    }

    private static SecurityProto.RoleGrant toProto(RoleGrant grant) {
        return SecurityProto.RoleGrant.newBuilder()
                .setUser(grant.user())
                .setRole(grant.role().text())
                .setTables(grant.tables().text())
                .build();
    }

    private static RoleGrant fromProto(SecurityProto.RoleGrant proto) {
        return new RoleGrant(proto.getUser(), role(proto.getRole()), new TablePattern(proto.getTables()));
    }

    private static Role role(String text) {
        return Arrays.stream(Role.values())
                .filter(one -> one.text().equals(text))
                .findFirst()
                .orElseThrow(() -> ProtoValidator.malformed("role is missing or one this version does not know"));
    }
}
