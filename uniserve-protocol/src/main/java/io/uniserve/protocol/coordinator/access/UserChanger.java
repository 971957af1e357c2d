package io.uniserve.protocol.coordinator.access;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One change of the users with a password, or one reading of them. */
final class UserChanger {
    private final LeaderContext leader;
    private final PendingAdminReply answer;
    private final RegistryValueChanger<UserCredentials> users;

    UserChanger(LeaderContext leader, PendingAdminReply answer) {
        this.leader = leader;
        this.answer = answer;
        this.users = new RegistryValueChanger<>(
                leader, answer, RegistryPaths.USERS, UserCredentials.class, UserCredentials.NONE);
    }

    void handle(AdminRequest request) {
        if (request instanceof AdminRequest.PutUser put) {
            users.change(present -> put(present, put));
        } else if (request instanceof AdminRequest.RemoveUser remove) {
            users.change(present -> remove(present, remove.name()));
        } else {
            users.list(present -> answer.ok(new AdminReply.Users(present.users().stream()
                    .map(user -> new AdminReply.UserInfo(user.user(), user.iterations()))
                    .toList())));
        }
    }

    private UserCredentials put(UserCredentials present, AdminRequest.PutUser request) {
        UserCredential credential = request.credential();
        Optional<UserCredential> known = present.find(credential.user());
        if (known.equals(Optional.of(credential))) {
            return present; // the same request, which was sent again
        }
        if (request.add() && known.isPresent()) {
            throw UniserveException.invalid("user " + credential.user()
                    + " has a password already: change it by uniserve user passwd " + credential.user());
        }
        if (!request.add() && known.isEmpty()) {
            throw absent(credential.user());
        }
        UserCredentials next = present.saltKey().size() == 0
                ? present.withSaltKey(random(leader.env().ids()))
                : present;
        return next.with(credential);
    }

    private static UserCredentials remove(UserCredentials present, String user) {
        if (present.find(user).isEmpty()) {
            throw absent(user);
        }
        return present.without(user);
    }

    private static UniserveException absent(String user) {
        return UniserveException.invalid("user " + user
                + " has no password: see uniserve user list; an admin adds one by" + " uniserve user add " + user);
    }

    private static Bytes random(IdGenerator ids) {
        ByteBuffer bytes = ByteBuffer.allocate(Limits.PASSWORD_KEY_BYTES);
        while (bytes.hasRemaining()) {
            bytes.putLong(ids.next());
        }
        return Bytes.wrap(bytes.array());
    }
}
