package io.uniserve.runtime.transport.access;

import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.UserLimits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import java.util.List;
import java.util.Optional;

/** Rights of administrative requests: a check before a request, and the part of its answer that the caller may see. Stateless and thread-safe. */
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
        if (request instanceof AdminRequest.ListTables || isOwnPassword(caller, request)) {
            caller.checkKnown();
            return request; // the answer has the caller's tables; everyone may change the own password
        }
        caller.check(right, table(request));
        return request;
    }

    /** True if a user replaces its own password. */
    private static boolean isOwnPassword(Caller caller, AdminRequest request) {
        return request instanceof AdminRequest.PutUser put
                && !put.add()
                && put.credential().user().equals(caller.user());
    }

    private static AdminRequest ofCaller(Caller caller, AdminRequest.ListGrants list) {
        String user = list.user().isEmpty() ? caller.user() : list.user();
        if (list.all() || !user.equals(caller.user())) {
            caller.check(Right.ADMINISTER, Optional.empty());
        }
        return new AdminRequest.ListGrants(user, list.all());
    }

    /** True if the audit log has the request: its kind declares a change, and it does not only list the trash. Fails for an undeclared kind. */
    public static boolean isChange(AdminProto.AdminCall call, AdminRequest request) {
        return RequestRights.isChange(call)
                && !(request instanceof AdminRequest.ServerTrash trash
                        && trash.call().action() == TrashCall.Action.LIST);
    }

    /** What the request concerns, for the audit log: a table, server, backup or rule. No content of rows, no options. */
    public static String object(AdminRequest request) {
        if (request instanceof AdminRequest.CreateTable create) {
            return create.meta().name().value();
        } else if (request instanceof AdminRequest.UpdateTable update) {
            return update.known().name().value();
        } else if (request instanceof AdminRequest.DropTable drop) {
            return drop.name().value();
        } else if (request instanceof AdminRequest.CreateChunks chunks) {
            return chunks.name().value();
        } else if (request instanceof AdminRequest.MoveReplica move) {
            return move.name() + "/" + move.actor() + " " + move.from() + " " + move.to();
        } else if (request instanceof AdminRequest.ReplicateActor replicate) {
            return replicate.name() + "/" + replicate.actor() + " " + replicate.replicas();
        } else if (request instanceof AdminRequest.DrainServer drain) {
            return drain.server() + (drain.drained() ? "" : " undo");
        } else if (request instanceof AdminRequest.ServerTrash trash) {
            return trash.server() + " " + trash.call().action() + " "
                    + trash.call().entry();
        } else if (request instanceof AdminRequest.VerifyActor verify) {
            return verify.name() + "/" + verify.actor();
        } else if (request instanceof AdminRequest.HoldScaling hold) {
            return hold.reason().isEmpty() ? "resume" : "hold";
        } else if (request instanceof AdminRequest.ChangeGrant change) {
            return (change.revoke() ? "revoke " : "grant ") + change.grant();
        } else if (request instanceof AdminRequest.ChangeRevocation change) {
            return change.revocation() + (change.undo() ? " undo" : "");
        } else if (request instanceof AdminRequest.ChangeLimit change) {
            return change.role().text() + " " + change.kind().text() + " " + change.value();
        } else if (request instanceof AdminRequest.PutUser put) {
            return (put.add() ? "add " : "passwd ") + put.credential().user();
        } else if (request instanceof AdminRequest.RemoveUser remove) {
            return "remove " + remove.name();
        } else if (request instanceof AdminRequest.BackupTable backup) {
            return backup.table() + " " + backup.name();
        } else if (request instanceof AdminRequest.SalvageTable salvage) {
            return salvage.tableId() + " " + salvage.name();
        } else if (request instanceof AdminRequest.RestoreTable restore) {
            return restore.name() + " " + restore.table();
        } else if (request instanceof AdminRequest.VerifyBackup verify) {
            return verify.name().value();
        } else if (request instanceof AdminRequest.DeleteBackup delete) {
            return delete.name().value();
        }
        return "";
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
        return reply instanceof AdminReply.UserRoles roles ? withSettings(caller, roles) : reply;
    }

    private static AdminReply.UserRoles withSettings(Caller caller, AdminReply.UserRoles roles) {
        List<RoleGrant> grants = caller.withSettings(roles.user(), roles.grants());
        List<RoleLimit> limits = roles.user().isEmpty()
                ? roles.limits()
                : UserLimits.ofGrants(grants, roles.limits()).all();
        return new AdminReply.UserRoles(roles.user(), grants, roles.revocations(), limits);
    }
}
