"""An exchange of any dialect as the turns of a conversation."""

from memtrial.transcripts.chats import anthropic_blocks, openai_messages
from memtrial.transcripts.chats.chat_exchange import ChatExchange
from memtrial.transcripts.chats.chat_turns import ChatTurns
from memtrial.transcripts.chats.responses_items import ResponsesItems
from memtrial.transcripts.logged_run import LogRemainder


def take_exchange(exchange: ChatExchange, left: LogRemainder) -> ChatTurns:
    """All of its messages and its reply, in their order."""
    chat, said = ChatTurns(), [*exchange.messages, *exchange.reply]
    match exchange.dialect:
        case "responses":
            items = ResponsesItems(chat)
            for item in said:
                items.take(item)
        case "anthropic":
            anthropic_blocks.take_messages(said, chat, left)
        case _:
            openai_messages.take_messages(said, chat, left)
    return chat
