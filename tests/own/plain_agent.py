"""Agents as a user writes them: a function, and a class with a setting that begins each request anew."""

from memtrial.models.client.types import Message


async def play_plainly(task, world, memory, ask):
    state = await world.begin()
    talk = [Message("system", f"{world.rules}\n\n{memory.opening}")]
    while not state.done:
        talk.append(
            Message("user", f"{task.query}\n{state.observation}\n{memory.turn()}\nActions: {state.actions}")
        )
        reply = await ask(talk)
        talk.append(Message("assistant", reply.text))
        action = reply.text.rpartition("Action:")[2].strip()
        if again := memory.propose(action):
            talk.append(Message("user", again))
            reply = await ask(talk)
            talk.append(Message("assistant", reply.text))
            action = reply.text.rpartition("Action:")[2].strip()
        state = await world.act(action)


class Forgetful:
    """Every request begins anew: the notes so far, the task, and what is seen now."""

    def __init__(self, form):
        self.form, self.notes = form, []

    async def __call__(self, task, world, memory, ask):
        state = await world.begin()
        self.notes.append(memory.opening)
        while not state.done:
            self.notes.append(memory.turn())
            action = await self.answer(world, state, ask)
            if again := memory.propose(action):
                self.notes.append(again)
                action = await self.answer(world, state, ask)
            state = await world.act(action)

    async def answer(self, world, state, ask):
        text = "\n\n".join([world.rules, self.form, *filter(None, self.notes), state.observation])
        return (await ask([Message("user", text)])).text.rpartition("Action:")[2].strip()
