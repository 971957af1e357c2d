package io.uniserve.runtime.transport.access;

import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import java.util.Optional;

/** Rights of administrative requests: a check before a request, and what its answer tells the caller. Stateless and thread-safe. */
public final class AdminAccess {
    private AdminAccess() {}

    /**
     * Checks a request and returns it as this caller makes it. Fails as {@link Caller#check} does; UNAUTHORIZED for a kind of request that
     * declares no right.
     */
    public static AdminRequest check(Caller caller, AdminProto.AdminCall call, AdminRequest request) {
        Right right = RequestRights.required(call);
        if (request instanceof AdminRequest.ListGrants list) {
            return ofCaller(caller, list);
        }
        if (request instanceof AdminRequest.ListTables) {
            return request; // the answer has the caller's tables
        }
        caller.check(right, table(request));
        return request;
    }

    private static AdminRequest ofCaller(Caller caller, AdminRequest.ListGrants list) {
        String user = list.user().isEmpty() ? caller.user() : list.user();
        if (list.all() || !user.equals(caller.user())) {
            caller.check(Right.ADMINISTER, Optional.empty());
        }
        return new AdminRequest.ListGrants(user, list.all());
    }

    /** Table of a request whose right is of one table. */
    private static Optional<TableName> table(AdminRequest request) {
        if (request instanceof AdminRequest.DescribeTable describe) {
            return Optional.of(describe.name());
        }
        return request instanceof AdminRequest.CreateChunks chunks ? Optional.of(chunks.name()) : Optional.empty();
    }

    /** The completion that gives the caller its part of an answer: the tables that it may describe, and its roles by settings. */
    public static Completion<AdminReply> forCaller(Caller caller, Completion<AdminReply> completion) {
        return outcome -> completion.done(
                outcome instanceof Outcome.Ok<AdminReply> ok ? Outcome.ok(forCaller(caller, ok.value())) : outcome);
    }

    private static AdminReply forCaller(Caller caller, AdminReply reply) {
        if (reply instanceof AdminReply.Tables tables) {
            return new AdminReply.Tables(tables.tables().stream()
                    .filter(table -> caller.permits(
                            Right.DESCRIBE, Optional.of(table.meta().name())))
                    .toList());
        }
        return reply instanceof AdminReply.UserRoles roles
                ? new AdminReply.UserRoles(roles.user(), caller.withSettings(roles.user(), roles.grants()))
                : reply;
    }
}
