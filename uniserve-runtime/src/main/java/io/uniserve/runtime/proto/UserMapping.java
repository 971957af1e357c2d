package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;

/** Mapping of users with a password and of the requests that change and list them. */
final class UserMapping {
    private UserMapping() {}

    static SecurityProto.UserCredentials toProto(UserCredentials users) {
        SecurityProto.UserCredentials.Builder proto =
                SecurityProto.UserCredentials.newBuilder().setSaltKey(BytesMapping.toProto(users.saltKey()));
        users.users().forEach(user -> proto.addUsers(toProto(user)));
        return proto.build();
    }

    /** Fails with INVALID_ARGUMENT if a user is malformed. */
    static UserCredentials fromProto(SecurityProto.UserCredentials proto) {
        return new UserCredentials(
                BytesMapping.fromProto("salt_key", proto.getSaltKey(), Limits.PASSWORD_KEY_BYTES),
                ProtoValidator.list("users", proto.getUsersList(), Limits.USERS_MAX, UserMapping::fromProto));
    }

    /** Sets the request in the envelope; false if it is of another kind. */
    static boolean put(AdminProto.AdminCall.Builder proto, AdminRequest request) {
        if (request instanceof AdminRequest.PutUser put) {
            proto.setPutUser(SecurityProto.PutUser.newBuilder()
                    .setCredential(toProto(put.credential()))
                    .setAdd(put.add()));
        } else if (request instanceof AdminRequest.RemoveUser remove) {
            proto.setRemoveUser(SecurityProto.RemoveUser.newBuilder().setName(remove.name()));
        } else if (request instanceof AdminRequest.ListUsers) {
            proto.setListUsers(SecurityProto.ListUsers.getDefaultInstance());
        } else {
            return false;
        }
        return true;
    }

    /** The call's request that changes or lists users. */
    static AdminRequest fromProto(AdminProto.AdminCall call) {
        if (call.hasPutUser()) {
            return new AdminRequest.PutUser(
                    fromProto(call.getPutUser().getCredential()),
                    call.getPutUser().getAdd());
        }
        return call.hasRemoveUser()
                ? new AdminRequest.RemoveUser(
                        RoleGrant.checkUser(call.getRemoveUser().getName()))
                : new AdminRequest.ListUsers();
    }

    static SecurityProto.Users toProto(AdminReply.Users reply) {
        SecurityProto.Users.Builder proto = SecurityProto.Users.newBuilder();
        reply.users()
                .forEach(user -> proto.addUsers(
                        SecurityProto.UserInfo.newBuilder().setName(user.name()).setIterations(user.iterations())));
        return proto.build();
    }

    static AdminReply.Users fromProto(SecurityProto.Users proto) {
        return new AdminReply.Users(ProtoValidator.list(
                "users",
                proto.getUsersList(),
                Limits.USERS_MAX,
                user -> new AdminReply.UserInfo(
                        RoleGrant.checkUser(user.getName()), UserCredential.checkIterations(user.getIterations()))));
    }

    private static SecurityProto.UserCredential toProto(UserCredential user) {
        return SecurityProto.UserCredential.newBuilder()
                .setUser(user.user())
                .setSalt(BytesMapping.toProto(user.salt()))
                .setIterations(user.iterations())
                .setStoredKey(BytesMapping.toProto(user.storedKey()))
                .setServerKey(BytesMapping.toProto(user.serverKey()))
                .build();
    }

    private static UserCredential fromProto(SecurityProto.UserCredential proto) {
        return new UserCredential(
                proto.getUser(),
                BytesMapping.fromProto("salt", proto.getSalt(), Limits.PASSWORD_SALT_BYTES),
                proto.getIterations(),
                BytesMapping.fromProto("stored_key", proto.getStoredKey(), Limits.PASSWORD_KEY_BYTES),
                BytesMapping.fromProto("server_key", proto.getServerKey(), Limits.PASSWORD_KEY_BYTES));
    }
}
